import fc from 'fast-check'
import stringWidth from 'string-width'
import { beforeAll, describe, expect, test } from 'vitest'
import { live, press, SIZES, seen, send } from '../../../test/support/views/popup-model.ts'
import { NOW, queueItem } from '../../../test/support/views/queue-item.ts'
import { loadGraphemes } from '../../text/columns.ts'
import type { Model } from '../model/model.ts'
import { view } from './view.ts'

beforeAll(loadGraphemes)

describe('whatever the sessions say', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc
      .array(
        fc.constantFrom(
          ...[
            '\u001b[2J',
            '\u001b]0;pwn\u0007',
            '\u009b31m',
            '\u001bP1$r\u001b\\',
            '\u001b',
            '\r',
            '\n',
            '\t',
          ],
          ...[
            '\u202e',
            '\u2066',
            '\u200d',
            '\ufe0f',
            '\u0301',
            '👨‍👩‍👧‍👦',
            '🇩🇪',
            '👍🏽',
            '⚠️',
            '1️⃣',
            '漢字',
            'ก็',
            'क्षि',
          ],
          ...['\u1100\u1100\u1161', '\u0d4e', '\u0600', '\ud800', 'a', ' ', '…', 'x'.repeat(90)],
        ),
        { maxLength: 60 },
      )
      .map((parts) => parts.join('')),
  )
  const hostileItem = fc
    .tuple(hostile, hostile, hostile, hostile, fc.boolean(), fc.boolean())
    .map(([harness, project, ask, tool, ready, hasPane]) =>
      queueItem('s1', {
        harness,
        project,
        ask: { text: ask, tool },
        ready,
        readyAt: ready ? null : NOW + 9_000,
        pane: hasPane ? { socket: '/s', id: project } : null,
      }),
    )
  const size: fc.Arbitrary<[number, number]> = fc.oneof(
    fc.constantFrom(...SIZES),
    fc.tuple(fc.integer({ min: 1, max: 220 }), fc.integer({ min: 1, max: 60 })),
  )
  const keys = fc.array(fc.constantFrom('j', 'J', 'G', '?', '/', 'a', 'enter', 's', '1'), {
    maxLength: 5,
  })

  test('every frame is exactly as large as the screen and holds only our own sequences', () => {
    const items = fc.array(hostileItem, { maxLength: 4 })
    fc.assert(
      fc.property(
        items,
        hostile,
        hostile,
        size,
        keys,
        (queue, screen, notice, dimensions, pressed) => {
          const named = queue.map((item, index) => ({ ...item, session: `s${index}` }))
          const next = press(seen(live(named, ...dimensions), screen), ...pressed)
          expectFrame(next)
          expectFrame(send(next, { kind: 'request.failed', id: '', message: notice }))
          for (const prompt of ['/', 'z']) {
            const typed = { kind: 'key', key: { kind: 'paste', text: notice } } as const
            expectFrame(send(press(next, prompt), typed))
          }
        },
      ),
      { numRuns: 150 },
    )
  }, 60_000)
})

function expectFrame(model: Model): void {
  const lines = view(model)
  expect(lines).toHaveLength(model.size.rows)
  for (const line of lines) {
    const bare = line.replace(OUR_SGR, '')
    expect(bare).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
    expect(stringWidth(bare)).toBe(model.size.columns)
  }
}

/** Attributes, palette colours, and colours by number: nothing else may follow an escape. */
const PARAMETER =
  '(?:[0-47-9]|[349][0-7]|10[0-7]|[34]8;5;\\d{1,3}|[34]8;2;\\d{1,3};\\d{1,3};\\d{1,3})'
const OUR_SGR = new RegExp(`\\u001b\\[${PARAMETER}(?:;${PARAMETER})*m`, 'g')
