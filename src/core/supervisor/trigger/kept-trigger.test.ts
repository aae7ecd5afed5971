import { expect, test } from 'vitest'
import { triggerIn } from '../../../../test/support/supervisor/trigger-in.ts'
import { keptTrigger } from './kept-trigger.ts'
import { TRIGGER_STATES } from './trigger.ts'

const KEY = `ghp_${'a1B2c3'.repeat(6)}`
const text = `[tb:k3f9x2m7q1] Deploy with ${KEY}.`
const printOf = (given: string) => ({ bytes: given.length, sha256: 'its hash' })
const facts = { text, reason: `for ${KEY}`, force: { by: 'ana', why: `now, ${KEY}` } }

test.each(TRIGGER_STATES.filter((state) => state !== 'delivered'))(
  'the text of one that is %s is stored as it is typed',
  (state) => {
    const trigger = triggerIn(state, facts)
    expect(keptTrigger(trigger, printOf)).toBe(trigger)
  },
)

test('once delivered, it is stored without secrets and with the print of what was typed', () => {
  const kept = keptTrigger(triggerIn('delivered', facts), printOf)
  expect(JSON.stringify(kept)).not.toContain(KEY)
  expect(kept).toMatchObject({
    text: '[tb:k3f9x2m7q1] Deploy with [redacted].',
    given: { bytes: text.length, sha256: 'its hash' },
    force: { by: 'ana' },
  })
  expect(keptTrigger(kept, printOf)).toBe(kept)
})

test('one that was retried has no secrets, one that can be retried has them', () => {
  const answered = { kind: 'retried', as: 'trg_2' } as const
  expect(keptTrigger(triggerIn('failed', facts, { answered }), printOf).text).not.toContain(KEY)
  const seen = triggerIn('failed', facts, { answered: { kind: 'seen' } })
  expect(keptTrigger(seen, printOf).text).toBe(text)
})

test('one without secrets stays the same', () => {
  const delivered = triggerIn('delivered')
  expect(keptTrigger(delivered, printOf)).toBe(delivered)
})
