import type { Check } from '../../harness/wiring/check.ts'
import type { Tone } from '../../text/paint.ts'

/** The result of a list of checks, in a sentence. */
export function checkSummary(checks: readonly Check[]): {
  text: string
  tone: Tone
  isBroken: boolean
} {
  const count = (wanted: Check['status']) => checks.filter(({ status }) => status === wanted).length
  const [broken, warnings] = [count('broken'), count('warning')]
  const also = warnings === 0 ? '' : `, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`
  if (broken > 0) {
    const what = broken === 1 ? '1 thing' : `${broken} things`
    return { text: `${what} will not work${also}.`, tone: 'bad', isBroken: true }
  }
  const tone = warnings > 0 ? 'waiting' : 'good'
  return { text: `Everything will work${also}.`, tone, isBroken: false }
}
