import { describe, expect, test } from 'vitest'
import { live, press, run, selected, send, take } from '../../test/support/views/popup-model.ts'
import { NOW, queueItem } from '../../test/support/views/queue-item.ts'
import type { Model } from './model/model.ts'

const three = [queueItem('s1'), queueItem('s2'), queueItem('s3')]

describe('a key that changes an item', () => {
  const later = (model: Model, ms: number): Model => ({ ...model, now: NOW + ms })

  test.each(['s', 'd', 'D', 'z', 'm', 'M'])(
    '%s never hits one that came up under it',
    (pressed) => {
      const slid = take(live(three), three.slice(1))
      const [model, effects] = run(later(slid, 999), pressed)
      expect([effects, model.snoozing, model.reply.line]).toEqual([[], undefined, undefined])
      expect(model.notice?.text).toMatch(/^Not done: another item has only just come up/)
      expect(press(later(slid, 1_000), pressed).notice?.text ?? '').not.toMatch(/^Not done/)
      expect(press(slid, 'j', 'k', pressed).notice?.text ?? '').not.toMatch(/^Not done/)
    },
  )

  test('spares what came up where one was dismissed and brought back', () => {
    const dismissed = take(press(live(three), 'd'), three.slice(1))
    const back = press(take(dismissed, three), 'k')
    expect(selected(back)).toBe('s1')
    const slid = take(back, three.slice(1))
    expect(run(slid, 'D')[1]).toEqual([])
    expect(run(later(slid, 1_000), 'D')[1]).toHaveLength(1)
  })

  test('spares what came up while the daemon was away, and after an undo', () => {
    const lost = send(press(live(three), 'j'), { kind: 'daemon.lost', message: 'No.', hint: '' })
    const back = take(lost, [three[0]!, three[2]!])
    expect(run(back, 'D')[1]).toEqual([])
    const undone = press(send(press(live(three), 'd'), { kind: 'act.done', text: 'Done.' }), 'u')
    expect(run(take(undone, three.slice(1)), 'D')[1]).toEqual([])
  })

  test('u takes back the last thing that was pressed, and never one before it', () => {
    const [first, second] = live(three).entries
    const [skipped] = run(live(three), 's')
    const [both] = run(skipped, 'd')
    const failed = { kind: 'act.failed', message: 'No.', act: both.undoable[0]! } as const
    expect(run(both, 'u')[1]).toEqual([{ kind: 'undo', undo: { act: 'dismiss', entry: second } }])
    const [undo] = run(send(both, failed), 'u')[1]
    expect(undo).toEqual({ kind: 'undo', undo: { act: 'skip', entry: first } })
    const [undone] = run(both, 'u')
    expect(send(undone, failed).undoable).toEqual(skipped.undoable)
  })

  test('u takes back the same again after it failed', () => {
    const [skipped] = run(live(three), 's')
    const [both] = run(skipped, 'd')
    const [undone] = run(both, 'u')
    const failed = { kind: 'undo.failed', message: 'No.', act: both.undoable[0]! } as const
    expect(send(undone, failed).undoable).toEqual(both.undoable)
  })

  test('another item that stays does not make its leaving a surprise', () => {
    const [first, second] = live(three).entries
    const [dismissed] = run(live(three), 'd')
    const other = { act: 'skip', entry: second! } as const
    const failed = send(dismissed, { kind: 'act.failed', message: 'No.', act: other })
    expect(failed.leaving).toBe(first!.key)
  })

  test('dismisses an item once', () => {
    const [dismissed] = run(live(three), 'd')
    expect(run(dismissed, 'd')[1]).toEqual([])
    const failed = { kind: 'act.failed', message: 'No.', act: dismissed.undoable[0]! } as const
    expect(run(send(dismissed, failed), 'd')[1]).toHaveLength(1)
  })

  test('dismisses one after the other as fast as it is pressed', () => {
    let model = live(three)
    for (const [index, { session }] of three.entries()) {
      const [next, effects] = run(model, 'd')
      expect(effects).toMatchObject([{ kind: 'dismiss', entry: { item: { session } } }])
      model = take(next, three.slice(index + 1))
    }
  })
})
