import { SUPERVISOR } from '../../core/session/subject.ts'

/** What a person calls a harness. */
export function shownHarness(harness: string): string {
  return harness === SUPERVISOR ? 'supervisor' : harness
}
