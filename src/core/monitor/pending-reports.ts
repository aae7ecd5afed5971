import { SCREEN_DELAY_MS } from '../session/verdict.ts'

/** When a harness reported something for which its screen has not been looked at yet. */
export type PendingReports = { firstAt: number; lastAt: number }

/** Even a harness that never stops reporting gets a look. */
const LONGEST_MS = 3 * SCREEN_DELAY_MS

export function withReport(
  pendingReports: PendingReports | undefined,
  now: number,
): PendingReports {
  return { firstAt: pendingReports?.firstAt ?? now, lastAt: now }
}

/** When the screen shows what was reported. */
export function visibleAt({ firstAt, lastAt }: PendingReports): number {
  return Math.min(lastAt + SCREEN_DELAY_MS, firstAt + LONGEST_MS)
}

/** After a look at `now`: the reports for which that look was too early. */
export function notYetVisible({ lastAt }: PendingReports, now: number): PendingReports | undefined {
  return now >= lastAt + SCREEN_DELAY_MS ? undefined : { firstAt: now, lastAt }
}
