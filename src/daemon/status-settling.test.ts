import { expect, test } from 'vitest'
import type { AgentEvent } from '../core/event.ts'
import { settlingMs } from './status-settling.ts'

const idle: AgentEvent = {
  v: 1,
  kind: 'stuck',
  reason: 'stopped',
  harness: 'claude-code',
  session: 's',
  source: 'status',
  at: 10_000,
}
const shell = { ...idle, note: 'a background shell is still running' }
const stop = (at: number, note?: string) => ({
  at,
  ask: undefined,
  detail: 'Stop',
  ...(note !== undefined && { note }),
})
const ended = stop(9_950)
const endedBefore = stop(5_000)
const subagentRuns = stop(9_950, '1 background task still running')

test.each<[what: string, ...Parameters<typeof settlingMs>, counts: boolean]>([
  ['whose end a hook told', idle, { byHook: ended, byAnyone: ended }, 10_000, true],
  ['whose end the transcript told', idle, { byHook: undefined, byAnyone: ended }, 10_100, false],
  ['the same, later', idle, { byHook: undefined, byAnyone: ended }, 10_150, true],
  ['after an older end', idle, { byHook: endedBefore, byAnyone: endedBefore }, 10_400, false],
  ['the same, later', idle, { byHook: endedBefore, byAnyone: endedBefore }, 10_500, true],
  ['that nobody told', idle, { byHook: undefined, byAnyone: undefined }, 10_499, false],
  ['after a subagent ran', idle, { byHook: subagentRuns, byAnyone: subagentRuns }, 11_900, false],
  ['the same, later', idle, { byHook: subagentRuns, byAnyone: subagentRuns }, 12_000, true],
  ['with a shell', shell, { byHook: subagentRuns, byAnyone: subagentRuns }, 10_000, true],
  ['of a clock that was set back', idle, { byHook: undefined, byAnyone: undefined }, 9_000, true],
])('an idle %s', (_, published, told, now, counts) => {
  expect(settlingMs(published, told, now) === 0).toBe(counts)
})
