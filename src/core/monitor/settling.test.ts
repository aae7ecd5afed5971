import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SCREEN_DELAY_MS } from '../session/verdict.ts'
import { type Settling, settledAt, toldMore, unsettled } from './settling.ts'

/** When the screen was looked at for reports at these times. */
function looksFor(times: readonly number[]): number[] {
  const looks: number[] = []
  let settling: Settling | undefined
  const lookUntil = (now: number) => {
    while (settling && settledAt(settling) <= now) {
      const at = settledAt(settling)
      looks.push(at)
      settling = unsettled(settling, at)
    }
  }
  for (const now of times) {
    lookUntil(now)
    settling = toldMore(settling, now)
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

test('reports that come together need one look', () => {
  expect(looksFor([0, 10, 30, 400])).toEqual([400 + SCREEN_DELAY_MS])
})
