import type { Witnessed } from '../../test/real-client/support/model/model-dialect.ts'
import { percentile } from '../report.ts'
import type { Life } from './truth-rule.ts'
import type { Seen } from './witness.ts'

/** How many ms after the last byte of the model's answer a screen shows the wait that follows. */
export type Lags = { dialog: number[]; prompt: number[] }

/** A wait that shows later than this follows from something else than the answer, such as a tool. */
const FOLLOWS_MS = 2_000

/** Collects the lags of the waits that a screen showed. */
export function collectLags(onScreen: Seen[], requests: Witnessed[], lags: Lags): void {
  for (const [index, { at, look }] of onScreen.entries()) {
    if (look !== 'dialog' && look !== 'prompt') continue
    if (onScreen[index - 1]?.look !== 'working') continue
    const request = requests.findLast((one) => one.at < at)
    if (request?.endedAt === undefined || request.aborted) continue
    const lag = at - request.endedAt
    if (lag >= 0 && lag < FOLLOWS_MS) lags[look].push(lag)
  }
}

/**
 * What a human would see of a session in the background. While its pane does not show it, the model tells: it
 * works while the model answers, and then waits from when a screen would show it, which is the median of this run.
 */
export function withUnseen(life: Life, onScreen: Seen[], requests: Witnessed[], lags: Lags) {
  const start: Seen = { at: life.startedAt, look: 'working', screen: '' }
  const told = requests.flatMap(({ at, endedAt }): Seen[] => {
    const work: Seen = { at, look: 'working', screen: '' }
    if (endedAt === undefined) return [work]
    const next = onScreen.find((seen) => seen.at > endedAt && seen.look !== 'shell')
    const look = next?.look === 'dialog' ? 'dialog' : 'prompt'
    const lag = lags[look].length > 0 ? percentile(lags[look], 50) : 0
    return [work, { at: endedAt + lag, look, screen: '' }]
  })
  return [start, ...told.filter(({ at }) => !isShown(onScreen, at)), ...onScreen]
    .filter(({ look }) => look !== 'shell')
    .toSorted((a, b) => a.at - b.at)
}

/** Whether its pane shows the session. A key that is pressed when it does not is the shell's. */
export function isShown(onScreen: Seen[], time: number): boolean {
  return (onScreen.findLast(({ at }) => at <= time)?.look ?? 'shell') !== 'shell'
}
