import { expect, test } from 'vitest'
import { BodyBudget } from './body-budget.ts'

/** Takes them in order, and records which have got in. */
function takers(budget: BodyBudget, sizes: number[]) {
  const entered: number[] = []
  const shares = sizes.map(async (bytes, index) => {
    const share = await budget.take(bytes)
    entered.push(index)
    return share
  })
  const settled = async () => {
    await new Promise(setImmediate)
    return [...entered]
  }
  const leave = async (index: number) => (await shares[index])?.[Symbol.dispose]()
  return { settled, leave }
}

test('as many get in as fit, the others in the order in which they came', async () => {
  const { settled, leave } = takers(new BodyBudget(10), [6, 4, 3, 3, 5])
  expect(await settled()).toEqual([0, 1])
  await leave(1)
  expect(await settled()).toEqual([0, 1, 2])
  await leave(0)
  expect(await settled()).toEqual([0, 1, 2, 3])
  await leave(3)
  expect(await settled()).toEqual([0, 1, 2, 3, 4])
})

test('one that is larger than the whole budget gets in alone, and is not overtaken', async () => {
  const { settled, leave } = takers(new BodyBudget(10), [1, 1_000, 1])
  expect(await settled()).toEqual([0])
  await leave(0)
  expect(await settled()).toEqual([0, 1])
  await leave(1)
  expect(await settled()).toEqual([0, 1, 2])
})
