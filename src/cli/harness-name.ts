/** What a person calls a harness: items of our own are the supervisor's. */
export function shownHarness(harness: string): string {
  return harness === 'trailboss' ? 'supervisor' : harness
}
