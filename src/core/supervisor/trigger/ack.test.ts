import { expect, test } from 'vitest'
import { type Ack, isProof, strongestAck } from './ack.ts'

test('the strongest ack counts, and of two equally strong ones the earlier', () => {
  const acks: Ack[] = [
    { kind: 'heartbeat', at: 1 },
    { kind: 'transcript', at: 5 },
    { kind: 'transcript', at: 4 },
    { kind: 'cursor', at: 2 },
  ]
  expect(strongestAck(acks)).toEqual({ kind: 'transcript', at: 4 })
  expect(strongestAck([])).toBeUndefined()
})

test.each([
  ['hook', true],
  ['transcript', true],
  ['cursor', false],
  ['heartbeat', false],
] as const)('%s is a proof: %s', (kind, expected) => {
  expect(isProof({ kind, at: 0 })).toBe(expected)
})
