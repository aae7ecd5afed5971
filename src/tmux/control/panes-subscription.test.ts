import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parsePanes } from './panes-subscription.ts'

type Entry = { id: string; pid: number; title: string }

/** As tmux formats it. */
function written(server: number, entries: Entry[]): Buffer {
  const each = entries.map(
    ({ id, pid, title }) => `${id} ${pid} 0 0 1700000000 ${Buffer.byteLength(title)}:${title};`,
  )
  return Buffer.from(`${server};${each.join('')}`)
}

const forgery = fc.constantFrom(
  ';%1 9 1 0 17 0:;',
  '3:abc;%2 1 1 0 17 0:;',
  ';',
  '%1',
  '0:',
  '日本語',
  '\u0007',
  '"\\#{pid}#(x)',
)
const title = fc
  .array(fc.oneof(forgery, fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 6 })
  .map((parts) => parts.join('').toWellFormed())

describe('the report about all panes', () => {
  test('contains what tmux knows about each pane', () => {
    const news = parsePanes(Buffer.from('77;%0 12 0 0 1700000000 7:my pane;%13 -1 1 1 0 0:;'))
    expect(news?.serverPid).toBe(77)
    expect([...(news?.panes ?? [])]).toEqual([
      [
        '%0',
        { pid: 12, isDead: false, isInMode: false, printedAt: 1_700_000_000, title: 'my pane' },
      ],
      ['%13', { pid: -1, isDead: true, isInMode: true, printedAt: 0, title: '' }],
    ])
  })

  test('keeps panes separate, whatever their titles are', () => {
    const titles = fc.array(title, { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(titles, (all) => {
        const entries = all.map((text, index) => ({
          id: `%${index}`,
          pid: 100 + index,
          title: text,
        }))
        const news = parsePanes(written(5, entries))
        const seen = [...(news?.panes ?? [])].map(([id, pane]) => ({
          id,
          pid: pane.pid,
          title: pane.title,
        }))
        expect(seen).toEqual(entries)
      }),
    )
  })

  test.each([
    '',
    '5',
    ';',
    '5;%0 1 0 0 17 3:ab;',
    '5;%0 1 0 0 17 1:ab;',
    '5;%0 1 0 0 17 2:ab',
    '5;%0 1 2 0 17 2:ab;',
    '5;%0 1 0 0 1 7 2:ab;',
    '5;%0 1 0 0 17 2:ab; ',
  ])('is rejected if it cannot be parsed: %j', (value) => {
    expect(parsePanes(Buffer.from(value))).toBeUndefined()
  })

  test('is empty, and not unknown, if there is no pane', () => {
    expect(parsePanes(Buffer.from('5;'))).toEqual({ serverPid: 5, panes: new Map() })
  })
})
