import { expect, test } from 'vitest'
import type { AgentEvent } from './event.ts'
import { noEvidence, type Stop, withEvent } from './evidence.ts'
import { hasFinishedOurPrompt, settlingMs, type TurnEnd } from './turn-end.ts'
import { verdictOf } from './verdict.ts'

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

const about = { v: 1, harness: 'claude-code', session: 's', source: 'hook' } as const
const prompt = (at: number, marks?: string[]): AgentEvent => ({
  ...{ ...about, kind: 'unstuck', prompt: true, at, ...(marks && { marks }) },
})
const says = (at: number, text: string, more: Partial<AgentEvent> = {}): AgentEvent => ({
  ...{ ...about, kind: 'stuck', reason: 'stopped', at, ask: { text }, ...more },
})
const OURS = ['k3f9x2m7q1']
const marked: AgentEvent = { ...about, kind: 'seen', at: 12, marks: OURS }
const permission = says(20, 'rm', { reason: 'permission', block: 'Bash:rm' })

test.each<[what: string, events: AgentEvent[], isOurs: boolean]>([
  ['what a trigger asked', [prompt(10, OURS), says(20, 'Done.')], true],
  ['the same, its mark reported apart', [prompt(10), marked, says(20, 'Done.')], true],
  ['what a human asked', [prompt(10), says(20, 'Done.')], false],
  ['what a human replied', [prompt(5, OURS), prompt(10, ['o3f9x2m7q1']), says(20, 'Done.')], false],
  [
    'what a human asked after a trigger',
    [prompt(10, OURS), says(15, 'Done.'), prompt(16), says(20, 'Done.')],
    false,
  ],
  [
    'what a trigger asked after a human',
    [prompt(5), says(8, 'Done.'), prompt(10, OURS), says(20, 'Done.')],
    true,
  ],
  ['with a question', [prompt(10, OURS), says(20, 'Done. Shall I deploy it?')], false],
  [
    'with a question and a note',
    [prompt(10, OURS), says(20, 'Shall I?', { note: 'a shell is still running' })],
    false,
  ],
  ['with an error', [prompt(10, OURS), says(20, 'API error', { label: 'error' })], false],
  ['by an interruption', [prompt(10, OURS), says(20, 'No', { label: 'interrupted' })], false],
  ['nothing: it asks for permission', [prompt(10, OURS), permission], false],
  ['nothing: it works', [prompt(10, OURS)], false],
])('finished: %s', (_, events, isOurs) => {
  const evidence = events.reduce(withEvent, noEvidence)
  expect(hasFinishedOurPrompt(evidence, verdictOf(evidence))).toBe(isOurs)
})
