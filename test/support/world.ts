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
