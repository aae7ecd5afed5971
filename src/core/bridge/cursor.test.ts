import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { advanced, cursorAck, newCursor } from './cursor.ts'

const cursor = newCursor('th_1', 'w/a', 100)

describe('a cursor', () => {
  test('never goes back, and keeps its time if it does not move', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 20 }), (reads) => {
        let at = cursor
        for (const [n, seq] of reads.entries()) {
          const next = advanced(at, seq, 50, 200 + n)
          expect(next.seq).toBe(Math.max(at.seq, seq))
          expect(next.at).toBe(seq > at.seq ? 200 + n : at.at)
          at = next
        }
      }),
    )
  })

  test.each([8, -1, 1.5, Number.NaN])('cannot be at %d of 7', (seq) => {
    expect(() => advanced(cursor, seq, 7, 200)).toThrow('its last one is 7')
  })
})

describe('the ack of a cursor', () => {
  const prompted = { agentId: 'w/a', threadId: 'th_1', at: 150 }
  const read = advanced(cursor, 3, 7, 200)

  test('is a move after the prompt', () => {
    expect(cursorAck(read, prompted)).toEqual({ kind: 'cursor', at: 200 })
    expect(cursorAck(read, { ...prompted, at: 200 })).toBeUndefined()
  })

  test('is not a reset to the beginning', () => {
    expect(cursorAck(newCursor('th_1', 'w/a', 200), prompted)).toBeUndefined()
  })

  test.each([
    ['agent', { ...prompted, agentId: 'w/b' }],
    ['thread', { ...prompted, threadId: 'th_2' }],
  ])('does not come from another %s', (_, other) => {
    expect(cursorAck(read, other)).toBeUndefined()
  })
})
