import { expect, test } from 'vitest'
import { NOW } from '../../../test/support/views/queue-item.ts'
import { dispatchView } from '../../../test/support/views/supervisor-views.ts'
import type { DispatchView } from '../../contract/dispatch.ts'
import { dispatchSentence, dispatchTable, dispatchText } from './dispatch-text.ts'

const dispatches = [
  dispatchView('fence'),
  dispatchView('gate', { state: 'waiting', why: 'It asks for something.', ask: 'rm -r barn' }),
  dispatchView('hay', { state: 'done', result: 'Turned it.\nAll of it.', pane: null }),
]
const tableAt = (width: number) => `\n${dispatchTable(dispatches, { now: NOW, width })}\n`
const text = (changes: Partial<DispatchView>) =>
  `\n${dispatchText(dispatchView('fence', changes), { now: NOW })}\n`

test('the table has a row for each, with what it wants or said', () => {
  expect(tableAt(80)).toMatchInlineSnapshot(`
    "
    DISPATCH  STATE    FOR  HARNESS  PANE  NOTE
    fence     working  3m   codex    %7
    gate      waiting  3m   codex    %7    rm -r barn
    hay       done     3m   codex    -     Turned it. All of it.
    "
  `)
  expect(tableAt(40)).toMatchInlineSnapshot(`
    "
    DISPATCH  STATE    FOR  NOTE
    fence     working  3m
    gate      waiting  3m   rm -r barn
    hay       done     3m   Turned it. All …
    "
  `)
})

test('the details show what it said, and what to do', () => {
  expect(text({})).toMatchInlineSnapshot(`
    "
    Dispatch fence is working, for 3m.

      agent          ranch/fence, codex
      directory      /home/op/ranch
      session        0199a213-81c0-7800-8aa1-bbab2a035a53
      pane           %7, agents_ranch:fence
      started        4m ago
      took its task  3m ago
      policy         escalate
    "
  `)
  expect(
    text({
      state: 'done',
      reviewer: 'ranch/judge',
      result: 'Fixed.\n\n- north\n- south',
      review: 'It is right.',
    }),
  ).toMatchInlineSnapshot(`
    "
    Dispatch fence is done, 3m ago.

      agent          ranch/fence, codex
      directory      /home/op/ranch
      session        0199a213-81c0-7800-8aa1-bbab2a035a53
      pane           %7, agents_ranch:fence
      started        4m ago
      took its task  3m ago
      policy         escalate
      reviewer       ranch/judge

    It said:
      Fixed.

      - north
      - south

    Its reviewer said:
      It is right.

    Its agent is still there. When you are through with it: trailboss dispatch stop fence
    "
  `)
})

test('what it wants, and why it failed, come first', () => {
  const why = 'It asks a question.'
  const waiting = { state: 'waiting', waiting: true, why, ask: 'Which one?' } as const
  expect(text(waiting)).not.toContain('accept')
  expect(text({ ...waiting, canAccept: true })).toContain('trailboss dispatch accept fence')
  const failed = text({ state: 'failed', why: 'The task did not arrive.' })
  expect(failed).toMatch(/is failed, 3m ago\. The task did not arrive\./)
  expect(failed).toContain('trailboss dispatch logs fence')
  expect(failed).toContain('trailboss dispatch stop fence')
  const gone = text({ state: 'failed', why: 'The task did not arrive.', pane: null })
  expect(gone).not.toContain('dispatch stop')
})

test('a sentence says its state', () => {
  expect(dispatchSentence(dispatchView('fence'))).toBe('Dispatch fence is working on its task.')
  expect(
    dispatchSentence(dispatchView('fence', { state: 'reviewing', reviewer: 'ranch/judge' })),
  ).toBe('Dispatch fence has finished; ranch/judge is looking at it.')
})

test('only its plain text can reach the terminal', () => {
  const hostile = '\x1b]0;x\x07\x1b[31mred\u202e'
  const shown = text({ name: hostile, why: hostile, ask: hostile, result: hostile, cwd: hostile })
  expect(shown).not.toMatch(/[\x1b\x07\u202e]/)
})
