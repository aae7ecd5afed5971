import { expect, test } from 'vitest'
import type { AgentEvent } from './event.ts'
import { noEvidence, withEvent } from './evidence.ts'
import { hasQueuedPrompt, isReportedByHooks } from './prompt-evidence.ts'

const about = { v: 1, harness: 'claude-code', session: 's' } as const
const busy = (at: number): AgentEvent => ({ ...about, kind: 'unstuck', source: 'status', at })
const prompt = (source: 'hook' | 'transcript', at: number): AgentEvent => ({
  ...about,
  kind: 'unstuck',
  source,
  at,
  prompt: true,
})
const after = (...events: AgentEvent[]) => events.reduce(withEvent, noEvidence)

test.each<[what: string, events: AgentEvent[], isQueued: boolean]>([
  ['the prompt of the turn itself', [prompt('hook', 1_000), busy(1_050)], false],
  ['the same, reported a moment late', [busy(1_000), prompt('hook', 1_050)], false],
  ['the same, reported late on a busy machine', [busy(1_000), prompt('hook', 1_400)], false],
  ['one typed at once', [prompt('hook', 950), busy(1_000), prompt('hook', 1_060)], true],
  ['both reported late', [prompt('hook', 1_060), busy(1_000), prompt('hook', 1_020)], true],
  [
    'the first of a turn, long after another',
    [prompt('hook', 500), busy(550), prompt('hook', 9_050), busy(9_000)],
    false,
  ],
  ['a prompt typed while it works', [busy(1_000), prompt('hook', 5_000)], true],
  ['the same, once its turn has begun', [busy(1_000), prompt('hook', 5_000), busy(9_000)], false],
  ['a shell command that is over', [busy(1_000), prompt('transcript', 9_000)], false],
])('%s', (_, events, isQueued) => {
  expect(hasQueuedPrompt(after(...events))).toBe(isQueued)
})

test.each<[what: string, events: AgentEvent[], isTold: boolean]>([
  ['by none', [prompt('transcript', 1_000)], false],
  ['by the one of its prompt', [prompt('hook', 1_000), prompt('transcript', 1_100)], true],
  ['not any more', [prompt('hook', 1_000), prompt('transcript', 9_000)], false],
])('hooks report a turn: %s', (_, events, isTold) => {
  expect(isReportedByHooks(after(...events))).toBe(isTold)
})

const stop = (at: number, text?: string): AgentEvent => ({
  ...about,
  kind: 'stuck',
  reason: 'stopped',
  source: 'hook',
  at,
  ...(text !== undefined && { ask: { text } }),
})

test.each<[what: string, events: AgentEvent[], asked: string | undefined]>([
  ['said once more without an ask', [stop(1_000, 'Done.'), stop(1_200)], 'Done.'],
  ['the ask reported second', [stop(1_000), stop(1_020, 'Done.')], 'Done.'],
  ['the next one, without an ask', [stop(1_000, 'Done.'), stop(3_000)], undefined],
  ['the next one', [stop(1_000, 'Done.'), stop(1_200), stop(1_900, 'More.')], 'More.'],
])('the ask at the end of a turn, in whatever order it is reported: %s', (_, events, asked) => {
  for (const given of [events, events.toReversed()]) {
    expect(after(...given).stops.hook?.ask?.text).toBe(asked)
  }
})
