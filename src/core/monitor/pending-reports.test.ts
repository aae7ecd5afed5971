import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SCREEN_DELAY_MS } from '../session/verdict.ts'
import { notYetVisible, type PendingReports, visibleAt, withReport } from './pending-reports.ts'

/** The times at which the screen was looked at for reports at these times. */
function looksFor(times: readonly number[]): number[] {
  const looks: number[] = []
  let pendingReports: PendingReports | undefined
  const lookUntil = (now: number) => {
    while (pendingReports && visibleAt(pendingReports) <= now) {
      const at = visibleAt(pendingReports)
      looks.push(at)
      pendingReports = notYetVisible(pendingReports, at)
    }
  }
  for (const now of times) {
    lookUntil(now)
    pendingReports = withReport(pendingReports, now)
  }
  lookUntil(Number.POSITIVE_INFINITY)
  return looks
}

const times = fc
  .array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1 })
  .map((at) => at.toSorted((a, b) => a - b))

test('the screen is looked at when it shows the last report, and never much later than the first', () => {
  fc.assert(
    fc.property(times, (reports) => {
      const looks = looksFor(reports)
      expect(looks.at(-1)).toBeGreaterThanOrEqual((reports.at(-1) ?? 0) + SCREEN_DELAY_MS)
      for (const at of reports) {
        const next = looks.find((look) => look >= at) ?? Number.POSITIVE_INFINITY
        expect(next - at).toBeLessThanOrEqual(3 * SCREEN_DELAY_MS)
      }
    }),
  )
})

test('reports that arrive together need one look', () => {
  expect(looksFor([0, 10, 30, 400])).toEqual([400 + SCREEN_DELAY_MS])
})
