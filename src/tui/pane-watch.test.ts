import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { queueItem } from '../../test/support/views/queue-item.ts'
import { type Entry, entriesOf } from './model/entry.ts'
import { watchPane } from './pane-watch.ts'

const entries = entriesOf([queueItem('s1'), queueItem('s2'), queueItem('s3', { pane: null })])

test('looks one at a time, and continues at once with the current selection', async () => {
  const watch = setUp(0)
  watch.look()
  watch.select(1)
  watch.look()
  watch.look()
  expect(watch.looks).toEqual(['%1'])
  watch.answer('one')
  await turn()
  expect(watch.looks).toEqual(['%1', '%2'])
  watch.answer('two')
  await turn()
  expect(watch.looks).toEqual(['%1', '%2'])
  expect(watch.captures).toEqual([
    ['claude-code:s1', ['one']],
    ['claude-code:s2', ['two']],
  ])
})

test('does not look if there is no pane', () => {
  const watch = setUp(2)
  watch.look()
  expect(watch.looks).toEqual([])
})

function setUp(first: number) {
  let selected: Entry | undefined = entries[first]
  let pending = Promise.withResolvers<string>()
  const looks: string[] = []
  const captures: [string, string[] | undefined][] = []
  const { look } = watchPane({
    current: () => selected,
    capture: (pane) => {
      looks.push(pane.id)
      pending = Promise.withResolvers<string>()
      return pending.promise
    },
    onCapture: (key, capture) =>
      captures.push([key, capture.lines?.map((line) => line.map(([, text]) => text).join(''))]),
  })
  return {
    look,
    looks,
    captures,
    select: (index: number) => {
      selected = entries[index]
    },
    answer: (screen: string) => pending.resolve(screen),
  }
}
