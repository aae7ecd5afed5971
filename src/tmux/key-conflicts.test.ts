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

test('a key that the user bound, in a file or in the server, is left alone', () => {
  const plan = planKeys(wanted, {
    files: bound('bind C-i last-window'),
    live: bound('bind S setw synchronize-panes'),
    defaults: none,
  })
  expect(plan.keys).toEqual({ popup: 'g' })
  expect(plan.conflicts).toEqual([
    { action: 'next', key: 'Tab', command: ['last-window'], where: 'your tmux configuration' },
    {
      action: 'skip',
      key: 'S',
      command: ['setw', 'synchronize-panes'],
      where: 'the running tmux server',
    },
  ])
})

test("tmux's own binding is replaced, and that is said", () => {
  const own = bound('bind Tab new-pane')
  const plan = planKeys(wanted, { files: none, live: own, defaults: own })
  expect(plan.keys).toEqual(wanted)
  expect(plan.conflicts).toEqual([])
  expect(plan.replaced).toEqual([
    { action: 'next', key: 'Tab', command: ['new-pane'], where: 'tmux itself' },
  ])
})

test("a user's binding in the place of tmux's own is still the user's", () => {
  const plan = planKeys(wanted, {
    files: none,
    live: bound('bind Tab last-window'),
    defaults: bound('bind Tab new-pane'),
  })
  expect(plan.keys).toEqual({ popup: 'g', skip: 'S' })
})

test('our own bindings are no conflict', () => {
  const conf = renderConf({ launcher: '/x', keys: wanted, status: false, env: {} })
  const plan = planKeys(wanted, { files: none, live: bound(conf), defaults: none })
  expect(plan).toEqual({ keys: wanted, conflicts: [], replaced: [] })
})
