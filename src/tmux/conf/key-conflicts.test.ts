import { expect, test } from 'vitest'
import { readBindings } from './bindings.ts'
import { planKeys } from './key-conflicts.ts'
import { renderConf } from './keys.ts'

const wanted = { next: 'Tab', popup: 'g', skip: 'S' }
const none = readBindings('').bindings
const bound = (text: string) => readBindings(text).bindings

test('free keys are all bound', () => {
  const plan = planKeys(wanted, { files: none, live: none, defaults: none })
  expect(plan).toEqual({ keys: wanted, conflicts: [], replaced: [] })
})

test('a key that the user bound, in a file or in the server, is left alone; a free one is suggested', () => {
  const taken = {
    files: bound('bind C-i last-window'),
    live: bound('bind S setw synchronize-panes'),
    defaults: none,
  }
  const plan = planKeys(wanted, taken, new Set(['next', 'skip']))
  expect(plan.keys).toEqual({ popup: 'g' })
  const tab = { action: 'next', key: 'Tab', command: ['last-window'] }
  const s = { action: 'skip', key: 'S', command: ['setw', 'synchronize-panes'] }
  expect(plan.conflicts).toEqual([
    { ...tab, where: 'your tmux configuration', free: 'N' },
    { ...s, where: 'the running tmux server', free: 'Z' },
  ])
})

test('if nobody chose the key that is taken, the free one is bound', () => {
  const files = bound('bind Tab last-window\nbind N x\nbind S y')
  const plan = planKeys(wanted, { files, live: none, defaults: none })
  expect(plan.keys).toEqual({ next: 'a', popup: 'g', skip: 'Z' })
})

test("a free key is neither tmux's own nor that of another action", () => {
  const taken = { files: bound('bind Tab x'), live: none, defaults: bound('bind N y') }
  const plan = planKeys({ ...wanted, skip: 'a' }, taken)
  expect(plan.keys).toEqual({ next: 'e', popup: 'g', skip: 'a' })
})

test('if none of our spare keys is free, the action has no key', () => {
  const files = bound(['Tab', 'N', 'a', 'e', 'M-a'].map((key) => `bind ${key} x`).join('\n'))
  const plan = planKeys(wanted, { files, live: none, defaults: none })
  expect(plan.keys).toEqual({ popup: 'g', skip: 'S' })
  expect(plan.conflicts).toMatchObject([{ action: 'next', free: undefined }])
})

test("tmux's own binding is replaced, and reported", () => {
  const own = bound('bind Tab new-pane')
  const plan = planKeys(wanted, { files: none, live: own, defaults: own })
  expect(plan.keys).toEqual(wanted)
  expect(plan.conflicts).toEqual([])
  expect(plan.replaced).toEqual([
    { action: 'next', key: 'Tab', command: ['new-pane'], where: 'tmux itself' },
  ])
})

test("a user's binding in place of tmux's own is still the user's", () => {
  const plan = planKeys(wanted, {
    files: none,
    live: bound('bind Tab last-window'),
    defaults: bound('bind Tab new-pane'),
  })
  expect(plan.keys).toEqual({ next: 'N', popup: 'g', skip: 'S' })
})

test('our own bindings are no conflict', () => {
  const conf = renderConf({ launcher: '/x', keys: wanted, status: false, start: true, env: {} })
  const plan = planKeys(wanted, { files: none, live: bound(conf), defaults: none })
  expect(plan).toEqual({ keys: wanted, conflicts: [], replaced: [] })
})
