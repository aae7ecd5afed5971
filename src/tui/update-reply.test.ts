import { describe, expect, test } from 'vitest'
import { effectsOf, key, live, press, run, send } from '../../test/support/views/popup-model.ts'
import { queueItem } from '../../test/support/views/queue-item.ts'
import { entriesOf } from './model/entry.ts'
import type { Model } from './model/model.ts'
import { update } from './update.ts'

const items = [queueItem('s1'), queueItem('s2', { reason: 'permission' })]
const [first] = entriesOf(items)
const off = live(items)
const on = send(off, {
  kind: 'queue.changed',
  entries: entriesOf(items),
  working: 0,
  reply: true,
})
const lineOf = (model: Model) => model.reply.line?.text

describe('a reply', () => {
  test.each(['m', 'M'])('with replies off, %s only says how to turn them on', (pressed) => {
    const [model, effects] = run(off, pressed)
    expect(model.notice?.text).toContain('"reply": true')
    expect([lineOf(model), effects]).toEqual([undefined, []])
  })

  test('is typed, edited like the filter, and sent with Enter', () => {
    const [model, effects] = run(on, 'm', ...'go onn', 'backspace', 'enter')
    expect(effects).toEqual([{ kind: 'reply', entry: first, text: 'go on' }])
    expect(lineOf(model)).toBeUndefined()
    expect(lineOf(press(on, 'm', ...'go on', 'ctrl-w'))).toBe('go ')
    expect(lineOf(press(on, 'm', ...'go on', 'ctrl-u'))).toBe('')
  })

  test('takes every key as text, and a paste without what is unsafe', () => {
    expect(lineOf(press(on, 'm', ...'qs1?jM/'))).toBe('qs1?jM/')
    const pasted = send(press(on, 'm'), key({ kind: 'paste', text: 'a\u001b[201~\u202eb\r\nc' }))
    expect(lineOf(pasted)).toBe('ab c')
  })

  test('stays with its session when the queue changes', () => {
    const typing = press(on, 'm', ...'go')
    const entries = entriesOf([queueItem('s9'), ...items])
    const changed = send(typing, { kind: 'queue.changed', entries, working: 0, reply: true })
    expect(effectsOf(changed, 'enter')).toMatchObject([{ entry: { key: first?.key } }])
  })

  test('that is empty, or left with Esc, is not sent; what was written is still there', () => {
    expect(effectsOf(on, 'm', ' ', 'enter')).toEqual([])
    expect(effectsOf(on, 'm', 'x', 'escape')).toEqual([])
    expect(lineOf(press(on, 'm', 'x', 'escape', 'm'))).toBe('x')
    expect(lineOf(press(on, 'm', 'x', 'ctrl-u', 'escape', 'm'))).toBe('')
  })

  test('on its way keeps the popup open until it has arrived, unless the operator insists', () => {
    const entry = first!
    const sending = press(on, 'm', 'x', 'enter')
    const [leaving, effects] = run(sending, 'q')
    expect([leaving.notice?.text, effects]).toEqual([expect.stringMatching(/^Closes when/), []])
    expect(effectsOf(leaving, 'q')).toEqual([{ kind: 'close' }])
    const done = { kind: 'reply.done', entry, message: 'Delivered.' } as const
    expect(update(leaving, done)[1]).toEqual([{ kind: 'close' }])
    expect(update(sending, done)[1]).toEqual([])
    const failed = { kind: 'reply.failed', entry, text: 'x', message: 'No.' } as const
    const [stays, none] = update(leaving, failed)
    expect([stays.notice?.text, none, lineOf(press(stays, 'm'))]).toEqual(['No.', [], 'x'])
    expect(effectsOf(stays, 'q')).toEqual([{ kind: 'close' }])
  })

  test('to a dialog is refused at once', () => {
    const [model, effects] = run(on, 'j', 'm')
    expect(model.notice?.text).toBe('It shows a dialog: go there and answer it.')
    expect([lineOf(model), effects]).toEqual([undefined, []])
  })

  test('is not sent twice: until there is an answer, the key waits', () => {
    const sending = press(on, 'm', 'x', 'enter')
    const [again, effects] = run(sending, 'm')
    expect([again.notice?.text, effects]).toEqual(['That is being sent.', []])
    const entry = first!
    const done = send(sending, { kind: 'reply.done', entry, message: 'Delivered.' })
    expect(lineOf(press(done, 'm'))).toBe('')
  })

  test('that was not delivered is there again, until another one is', () => {
    const entry = first!
    const sending = press(on, 'm', 'x', 'enter')
    const failed = send(sending, { kind: 'reply.failed', entry, text: 'a\nb', message: 'No.' })
    expect(failed.notice?.tone).toBe('alert')
    expect(lineOf(press(failed, 'm'))).toBe('a b')
    expect(effectsOf(failed, 'M')).toEqual([{ kind: 'write', entry, draft: 'a\nb' }])
    const done = send(failed, { kind: 'reply.done', entry, message: 'Delivered.' })
    expect(lineOf(press(done, 'm'))).toBe('')
  })

  test('from the editor is sent as it is, and nothing if it is empty', () => {
    const entry = first!
    const written = (text: string) => send(on, { kind: 'reply.written', entry, text })
    expect(written('a\nb').asked.has(entry.key)).toBe(true)
    expect(written(' \n').notice?.text).toBe('Nothing was written, or sent.')
  })
})
