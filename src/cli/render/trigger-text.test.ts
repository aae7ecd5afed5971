import { expect, test } from 'vitest'
import { NOW } from '../../../test/support/views/queue-item.ts'
import { triggerView } from '../../../test/support/views/supervisor-views.ts'
import type { TriggerView } from '../../contract/supervisor.ts'
import { outcomeText, progressText, triggerTable, triggerText } from './trigger-text.ts'

const failed: Partial<TriggerView> = {
  state: 'failed',
  code: 'ACK_TIMEOUT',
  sentence: 'The agent never showed that it took the prompt.',
  ack: null,
  resumes: 2,
  settledAt: NOW - 30_000,
}
const deferred: Partial<TriggerView> = {
  state: 'deferred',
  code: 'OPERATOR_BUSY',
  sentence: 'Somebody types in that pane; the trigger waits.',
  via: null,
  ack: null,
  claimedAt: null,
  settledAt: null,
  pastes: 0,
  enters: 0,
}
const triggers = [
  triggerView('trg_mhx3k9a1aa2b3c4d5e'),
  triggerView('trg_mhx3k9a1bb2b3c4d5e', { ...failed, agent: 'ranch/lead' }),
  triggerView('trg_mhx3k9a1cc2b3c4d5e', { ...deferred, reason: 'new_unread_messages' }),
]
const tableAt = (width: number) => `\n${triggerTable(triggers, { now: NOW, width })}\n`
const text = (changes: Partial<TriggerView>) =>
  `\n${triggerText(triggerView('trg_1', changes), { now: NOW })}\n`

test('the table has a row for each, with its code if it waits or failed', () => {
  expect(tableAt(80)).toMatchInlineSnapshot(`
    "
    TRIGGER                 AGENT           STATE      AGE  WHAT
    trg_mhx3k9a1aa2b3c4d5e  ranch/reviewer  delivered  4m   review
    trg_mhx3k9a1bb2b3c4d5e  ranch/lead      failed     4m   ACK_TIMEOUT · review
    trg_mhx3k9a1cc2b3c4d5e  ranch/reviewer  deferred   4m   OPERATOR_BUSY · new_unr…
    "
  `)
})

test('the table fits 60 columns', () => {
  expect(tableAt(60)).toMatchInlineSnapshot(`
    "
    TRIGGER                 AGENT           STATE      WHAT
    trg_mhx3k9a1aa2b3c4d5e  ranch/reviewer  delivered  review
    trg_mhx3k9a1bb2b3c4d5e  ranch/lead      failed     ACK_TIME…
    trg_mhx3k9a1cc2b3c4d5e  ranch/reviewer  deferred   OPERATOR…
    "
  `)
})

test('one that arrived says how, and what shows it', () => {
  expect(text({ thread: 'th_1' })).toMatchInlineSnapshot(`
    "
    Trigger trg_1 for ranch/reviewer was delivered 3m ago, 2.1s after it was made.

      reason  review
      thread  th_1
      way     typed into its pane (1 paste, 1 Enter); confirmed by its hook
      size    118 bytes, sha256 3f9a2c1d5e8b7f60…

    It says:
      Review the last commit.
    "
  `)
})

test('one that failed says why, and what to do', () => {
  expect(text(failed)).toMatchInlineSnapshot(`
    "
    Trigger trg_1 for ranch/reviewer failed 30s ago, 3m after it was made: ACK_TIMEOUT.
    The agent never showed that it took the prompt.

      reason  review
      way     typed into its pane (1 paste, 1 Enter, 2 resumes)
      size    118 bytes, sha256 3f9a2c1d5e8b7f60…

    It says:
      Review the last commit.

    Try it again with: trailboss trigger retry trg_1
    Or dismiss it:     trailboss trigger cancel trg_1
    "
  `)
})

test('one that failed because its runtime does not run says how to start that first', () => {
  expect(text({ ...failed, code: 'TARGET_NOT_FOUND' })).toContain(
    'First start it:    trailboss runtime start ranch/reviewer\nTry it again with: ',
  )
})

test('one that waits says what it waits for, and can be taken back', () => {
  const force = { by: 'operator:ana', why: 'production is down' }
  expect(text({ ...deferred, force })).toMatchInlineSnapshot(`
    "
    Trigger trg_1 for ranch/reviewer is deferred (OPERATOR_BUSY), made 4m ago.
    Somebody types in that pane; the trigger waits.

      reason  review
      size    118 bytes, sha256 3f9a2c1d5e8b7f60…
      forced  by operator:ana: production is down

    It says:
      Review the last commit.

    Take it back with: trailboss trigger cancel trg_1
    "
  `)
})

test('one that may have been taken already does not offer to be cancelled', () => {
  expect(text({ state: 'submitted', settledAt: null, ack: null })).not.toContain('cancel')
})

test.each<[Partial<TriggerView>, string]>([
  [{}, 'Delivered to ranch/reviewer in 2.1s (confirmed by its hook).'],
  [{ ack: null, settledAt: null }, 'Delivered to ranch/reviewer.'],
  [failed, 'Trigger trg_1 failed (ACK_TIMEOUT). The agent never showed that it took the prompt.'],
  [{ state: 'cancelled' }, 'Trigger trg_1 was cancelled; ranch/reviewer will not get it.'],
  [{ state: 'queued' }, 'Trigger trg_1 for ranch/reviewer is queued.'],
])('%j reads: %s', (changes, sentence) => {
  expect(outcomeText(triggerView('trg_1', changes))).toBe(sentence)
})

test('the progress of one includes what it waits for', () => {
  expect(progressText(triggerView('trg_1', deferred))).toBe(
    'It gives way. Somebody types in that pane; the trigger waits.',
  )
  expect(progressText(triggerView('trg_1', { state: 'written' }))).toBe('It is typed.')
  const handed = triggerView('trg_1', { state: 'submitted', via: 'channel' })
  expect(progressText(handed)).toMatch(/own channel has it/)
})
