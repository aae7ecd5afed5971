import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coolingItem, queueItem } from '../../../test/support/views/queue-item.ts'
import { captureOf } from '../capture.ts'
import { askTextOf, type Entry, entriesOf } from './entry.ts'

const HOSTILE = 'a\u001b[2Jb\u001b]0;pwn\u0007c\u009b31md\u202ee\rf\u0000g'

test('keeps the order of the queue, and puts cooling items last', () => {
  const items = [coolingItem('c1'), queueItem('s1'), coolingItem('c2'), queueItem('s2')]
  expect(entriesOf(items).map(({ item }) => item.session)).toEqual(['s1', 's2', 'c1', 'c2'])
})

test('leaves nothing in a text that a terminal would obey', () => {
  const entry = only({
    harness: HOSTILE,
    project: HOSTILE,
    ask: { text: HOSTILE, tool: HOSTILE },
    pane: { socket: '/s', id: HOSTILE },
  })
  const line = 'abcde fg'
  expect(entry).toMatchObject({ harness: line, project: line, tool: line, pane: line })
  expect(entry.askLine).toBe('abcde · fg')
  expect(askTextOf(entry)).toBe('abcde\nfg')
  expect(paneText(entry, HOSTILE)).toEqual(['abcde', 'fg'])
})

test('whatever the session says, no control and no bidi character is left', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const entry = only({ harness: text, project: text, ask: { text, tool: text } })
      const { item: _raw, key: _key, ...shown } = entry
      const all = [...Object.values(shown), askTextOf(entry), ...paneText(entry, text)].join('')
      expect(all.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u)
    }),
  )
})

test('shows a session without a project, and bounds an endless ask', () => {
  expect(only({ project: null }).project).toBe('-')
})

test('items of the supervisor are named so, and a failed trigger is known by its id', () => {
  expect(only({ harness: 'trailboss', about: { kind: 'trigger', id: 'trg_1' } })).toMatchObject({
    harness: 'supervisor',
    trigger: 'trg_1',
  })
  expect(only({ about: { kind: 'runtime', id: 'rt_1' } }).trigger).toBeUndefined()
  expect(only({ session: 'trigger-trg_1' }).trigger).toBeUndefined()
})

test('a watched program goes by its name', () => {
  expect(only({ harness: 'program', program: 'python3' }).harness).toBe('python3')
  const endless = only({ ask: { text: 'x'.repeat(1_000_000) } })
  expect(askTextOf(endless)).toBe(`${'x'.repeat(10_000)}…`)
  expect(endless.haystack.length).toBeLessThan(3_000)
})

test('a pane that could not be read is not an empty one', () => {
  const entry = only({})
  expect(captureOf(entry, undefined).lines).toBeUndefined()
  expect(captureOf(entry, '\n\n').lines).toEqual([])
})

function only(changes: Parameters<typeof queueItem>[1]): Entry {
  const [entry] = entriesOf([queueItem('s1', changes)])
  if (!entry) throw new Error('no entry')
  return entry
}

function paneText(entry: Entry, screen: string): string[] {
  const lines = captureOf(entry, screen).lines ?? []
  return lines.map((line) => line.map(([, text]) => text).join(''))
}

test('is named so that it differs from all others', () => {
  const same = [queueItem('s1', { project: 'api', branch: 'main' })]
  const all = [...same, queueItem('s2', { project: 'api', branch: 'fix' }), queueItem('s3')]
  expect(entriesOf(all).map(({ name }) => name)).toEqual(['api main', 'api fix', 'project-s3'])
  expect(entriesOf(same).map(({ name }) => name)).toEqual(['api'])
})
