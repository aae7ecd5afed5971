import { describe, expect, test } from 'vitest'
import { live, press, run, send, take } from '../../test/support/views/popup-model.ts'
import { NOW, queueItem } from '../../test/support/views/queue-item.ts'
import { entriesOf } from './model/entry.ts'
import { initialModel, type Model } from './model/model.ts'

const asking = (id: string) =>
  queueItem(id, {
    about: { kind: 'decision', id },
    decision: { kind: 'permission', options: [], more: 0 },
    reason: 'permission',
  })
const [first, second] = [asking('first'), asking('second')]
const later = (model: Model, ms: number): Model => ({ ...model, now: NOW + ms })
const answers = (model: Model, key = 'y') => run(model, key)[1]
const TOO_SOON = /^Not answered: it has only just come up/

describe('a permission', () => {
  test('is answered by the key, once', () => {
    const [model, effects] = run(live([first]), 'y')
    expect(effects).toEqual([{ kind: 'answer', decision: 'first', choice: 'allow' }])
    expect(answers(model)).toEqual([])
    expect(answers(live([first]), 'n')).toMatchObject([{ choice: 'deny' }])
  })

  test('is not answered by a key that was typed before it was on the screen', () => {
    const size = { columns: 80, rows: 24 }
    const typedAhead = press(initialModel(size, NOW, true), 'y')
    const entries = entriesOf([first])
    const shown = send(typedAhead, { kind: 'queue.changed', entries, working: 0 })
    expect(shown.asked.size).toBe(0)
    expect(shown.notice?.text).toMatch(TOO_SOON)
    expect(answers(later(shown, 299))).toEqual([])
    expect(answers(later(shown, 300))).toHaveLength(1)
  })

  test('is not answered by a key that was meant for the one before it', () => {
    const slid = take(live([first, second]), [second])
    for (const key of ['y', 'n']) {
      const [model, effects] = run(later(slid, 900), key)
      expect([effects, model.notice?.text]).toEqual([[], expect.stringMatching(TOO_SOON)])
    }
    expect(answers(later(slid, 1_000))).toMatchObject([{ decision: 'second' }])
  })

  test('of which the popup shows only the beginning is denied there, not allowed', () => {
    const cut = { kind: 'permission' as const, options: [], more: 0, cut: true }
    const long = { text: `${'Run the tests. '.repeat(700)}rm -rf ~` }
    for (const item of [
      { ...first, decision: cut },
      { ...first, ask: long },
    ]) {
      const [model, effects] = run(live([item]), 'y')
      expect(effects).toEqual([])
      expect(model.notice?.text).toMatch(/^Not answered: .* Enter shows all of it\.$/)
      expect(answers(live([item]), 'n')).toMatchObject([{ choice: 'deny' }])
    }
  })

  test('that the operator went to is theirs to answer in a moment', () => {
    const there = press(live([first, second]), 'j')
    expect(answers(later(there, 299))).toEqual([])
    expect(answers(later(there, 300))).toMatchObject([{ decision: 'second' }])
  })
})
