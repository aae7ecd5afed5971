import { expect, test } from 'vitest'
import { isMotionless, nextStall, noStall, type Stall } from './stall.ts'

const after = (...looks: (Parameters<typeof nextStall>[1] | 'first')[]): Stall =>
  looks.reduce<Stall>(
    (stall, look, at) => nextStall(stall, look === 'first' ? undefined : look, at),
    noStall,
  )

test.each([
  [0, 'none'],
  [1, 'none'],
  [2, 'potential'],
  [3, 'confirmed'],
  [9, 'confirmed'],
])('%i looks that match the one before: %s', (count, stage) => {
  const stall = after('first', ...Array<'identical'>(count).fill('identical'))
  expect(stall).toEqual({ stage, alike: count, motionless: count, since: 0 })
})

test.each(['changed', 'scrolled-far'] as const)('a look that %s starts over', (likeness) => {
  const stall = after('first', 'identical', 'identical', 'identical', likeness)
  expect(stall).toEqual({ stage: 'none', alike: 0, motionless: 0, since: 4 })
})

test('a spinner that moves is alike, but not motionless', () => {
  const stall = after('first', 'identical', 'identical', 'spinning')
  expect(stall).toMatchObject({ stage: 'confirmed', alike: 3, motionless: 0, since: 0 })
  expect(isMotionless(stall)).toBe(false)
})

test('a spinner that has stopped is motionless after three looks', () => {
  const looks = ['first', 'spinning', 'spinning', 'identical', 'identical'] as const
  expect(isMotionless(after(...looks))).toBe(false)
  expect(isMotionless(after(...looks, 'identical'))).toBe(true)
})
