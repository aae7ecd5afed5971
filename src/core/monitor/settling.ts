import { SCREEN_DELAY_MS } from '../session/verdict.ts'

/** When a harness reported something since its screen was last looked at for that. */
export type Settling = { firstAt: number; lastAt: number }

/** A harness that never stops reporting is looked at all the same. */
const LONGEST_MS = 3 * SCREEN_DELAY_MS

export function toldMore(settling: Settling | undefined, now: number): Settling {
  return { firstAt: settling?.firstAt ?? now, lastAt: now }
}

/** When the screen shows what was reported. */
export function settledAt({ firstAt, lastAt }: Settling): number {
  return Math.min(lastAt + SCREEN_DELAY_MS, firstAt + LONGEST_MS)
}

/** After a look at `now`: what that look was too early for. */
export function unsettled({ lastAt }: Settling, now: number): Settling | undefined {
  return now >= lastAt + SCREEN_DELAY_MS ? undefined : { firstAt: now, lastAt }
}
