import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isJsonWithin } from './limits.ts'

test('the computed length of JSON matches the written one', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 60 }), (value, limit) => {
      expect(isJsonWithin(value, limit)).toBe(JSON.stringify(value).length <= limit)
    }),
  )
})

test('JSON that is too long is not written to find that out', () => {
  const unwritable = {
    toJSON: () => {
      throw new Error('written')
    },
  }
  for (const value of ['x'.repeat(11), { [`x`.repeat(11)]: 1 }, Array(11).fill(0)]) {
    expect(isJsonWithin({ value, unwritable }, 10)).toBe(false)
  }
})
