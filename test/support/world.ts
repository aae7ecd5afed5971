import { test as base } from 'vitest'
import { createWorld, describeWorld, type World, type WorldOptions } from './create-world.ts'

/** `test.override({ worldOptions: … })` changes the world of a file. */
export const test = base.extend<{ worldOptions: WorldOptions; world: World }>({
  worldOptions: [{}, { injected: false }],
  world: async ({ worldOptions, task }, use) => {
    await using world = await createWorld(worldOptions)
    await use(world)
    if (task.result?.state === 'fail') console.error(await describeWorld(world))
  },
})

/** One world for all tests of a file: each must leave it as it was. */
export function testsInOneWorld(options: WorldOptions = {}) {
  return base.extend<{ $file: { shared: World }; $test: { world: World } }>({
    shared: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures off the pattern.
      async ({}, use) => {
        await using world = await createWorld(options)
        await use(world)
      },
      { scope: 'file' },
    ],
    world: async ({ shared, task }, use) => {
      await use(shared)
      if (task.result?.state === 'fail') console.error(await describeWorld(shared))
    },
  })
}
