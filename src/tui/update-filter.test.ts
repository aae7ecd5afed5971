import { describe, expect, test } from 'vitest'
import {
  effectsOf,
  key,
  live,
  press,
  run,
  selected,
  send,
  sessions,
} from '../../test/support/views/popup-model.ts'
import { queueItem } from '../../test/support/views/queue-item.ts'

describe('the filter', () => {
  const items = [
    queueItem('s1', { project: 'billing', reason: 'permission' }),
    queueItem('s2', { project: 'search', harness: 'codex', ask: { text: 'Ship the INDEX?' } }),
    queueItem('s3', { project: 'web' }),
  ]

  test.each([
    ['bill', ['s1']],
    ['CODEX', ['s2']],
    ['permission', ['s1']],
    ['index', ['s2']],
    ['ship codex', ['s2']],
    ['ship billing', []],
    ['  ', ['s1', 's2', 's3']],
  ])('%j leaves %j', (typed, expected) => {
    expect(sessions(press(live(items), '/', ...typed))).toEqual(expected)
  })

  test('takes keys with another meaning elsewhere as text', () => {
    const model = press(live(items), '/', 'q', 's', '1', '?', 'j')
    expect(model.filter).toEqual({ kind: 'typing', text: 'qs1?j' })
  })

  test('takes a paste as text, without unsafe characters', () => {
    const model = press(live(items), '/')
    const pasted = send(model, key({ kind: 'paste', text: 'se\u001b[2J\u202earch\r\n' }))
    expect(pasted.filter).toEqual({ kind: 'typing', text: 'search ' })
    expect(sessions(pasted)).toEqual(['s2'])
  })

  test.each([
    [['a', '漢', 'backspace'], 'a'],
    [['a', 'b', 'ctrl-u'], ''],
    [['a', 'b', ' ', 'c', 'd', 'ctrl-w'], 'ab '],
    [['x', 'tab', 'left', 'ctrl-x'], 'x'],
  ])('is edited by %j to %j', (keys, text) => {
    expect(press(live(items), '/', ...keys).filter).toEqual({ kind: 'typing', text })
  })

  test('selects the first match when the selected one is hidden, and keeps it otherwise', () => {
    expect(selected(press(live(items), '/', 'w', 'e', 'b'))).toBe('s3')
    expect(selected(press(live(items), 'j', '/', 's'))).toBe('s2')
  })

  test('jumps with Enter to the selected match', () => {
    const jumps = (...keys: string[]) => effectsOf(live(items), '/', ...keys, 'enter')
    expect(jumps('w', 'e', 'b')).toMatchObject([{ kind: 'jump', item: { session: 's3' } }])
    expect(jumps('s', 'down')).toMatchObject([{ kind: 'jump', item: { session: 's2' } }])
    expect(jumps('n', 'o', 'n', 'e')).toEqual([])
  })

  test('stays open if the match has no pane to go to', () => {
    const [model, effects] = run(live([queueItem('s1', { pane: null })]), '/', 's', 'enter')
    expect(effects).toEqual([])
    expect(model.filter).toEqual({ kind: 'typing', text: 's' })
    expect(model.notice?.text).toMatch(/^No pane to go to/)
  })

  test('is kept by Tab, and the keys of the list count again', () => {
    const [model, effects] = run(live(items), '/', 'w', 'e', 'b', 'ctrl-i')
    expect(effects).toEqual([])
    expect(model.filter).toEqual({ kind: 'on', text: 'web' })
    expect(effectsOf(model, 'enter')).toMatchObject([{ kind: 'jump', item: { session: 's3' } }])
  })

  test('is cleared by Escape, typing or accepted, and only then does Escape close', () => {
    expect(run(live(items), '/', 'w', 'escape')).toMatchObject([{ filter: { kind: 'off' } }, []])
    const accepted = press(live(items), '/', 'w', 'ctrl-i')
    expect(run(accepted, 'escape')).toMatchObject([{ filter: { kind: 'off' } }, []])
    expect(effectsOf(accepted, 'escape', 'escape')).toEqual([{ kind: 'close' }])
  })

  test('goes away when it is empty and accepted or erased', () => {
    expect(press(live(items), '/', ' ', 'ctrl-i').filter).toEqual({ kind: 'off' })
    expect(press(live(items), '/', 'backspace').filter).toEqual({ kind: 'off' })
  })

  test('is edited again after a second slash', () => {
    const model = press(live(items), '/', 'w', 'ctrl-i', '/', 'e')
    expect(model.filter).toEqual({ kind: 'typing', text: 'we' })
  })

  test('lets the arrows move while it is typed', () => {
    expect(selected(press(live(items), '/', 'down'))).toBe('s2')
  })
})
