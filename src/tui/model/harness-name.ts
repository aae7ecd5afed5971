/** As what the supervisor's own items stand in the queue. */
export const SUPERVISOR = 'trailboss'

/** What a person calls a harness. */
export function shownHarness(harness: string): string {
  return harness === SUPERVISOR ? 'supervisor' : harness
}
