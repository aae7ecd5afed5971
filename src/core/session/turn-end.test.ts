import { expect, test } from 'vitest'
import type { AgentEvent } from './event.ts'
import type { Stop } from './evidence.ts'
import { settlingMs, type TurnEnd } from './turn-end.ts'

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

const given = (byHook?: Stop, byAnyone?: Stop, more: Partial<TurnEnd> = {}): TurnEnd => ({
  byHook,
  byAnyone,
  leftTasks: byAnyone?.note !== undefined,
  isPromptQueued: false,
  isReportedByHooks: false,
  ...more,
})
const queued = { isPromptQueued: true }
const left = { leftTasks: true }
const hooked = { isReportedByHooks: true }

test.each<[what: string, ...Parameters<typeof settlingMs>, counts: boolean]>([
  ['whose end a hook reported', idle, given(ended, ended), 10_000, true],
  ['whose end the transcript reported', idle, given(undefined, ended), 10_100, false],
  ['the same, later', idle, given(undefined, ended), 10_150, true],
  ['after an older end', idle, given(endedBefore, endedBefore), 10_400, false],
  ['the same, later', idle, given(endedBefore, endedBefore), 10_500, true],
  ['that nobody reported', idle, given(undefined, undefined), 10_499, false],
  ['that hooks did not report', idle, given(endedBefore, endedBefore, hooked), 10_249, false],
  ['the same, later', idle, given(endedBefore, endedBefore, hooked), 10_250, true],
  ['after a subagent ran', idle, given(subagentRuns, subagentRuns), 11_900, false],
  ['the same, later', idle, given(subagentRuns, subagentRuns), 12_000, true],
  ['after a subagent ran and was answered', idle, given(undefined, undefined, left), 11_900, false],
  ['with a shell', shell, given(subagentRuns, subagentRuns), 10_000, true],
  ['before a queued prompt', idle, given(ended, ended, queued), 11_900, false],
  ['the same, later', idle, given(ended, ended, queued), 12_000, true],
  ['of a clock that was set back', idle, given(undefined, undefined), 9_000, true],
])('an idle %s', (_, published, end, now, counts) => {
  expect(settlingMs(published, end, now) === 0).toBe(counts)
})
