import { test as base } from 'vitest'
import { createRealRanch, type RealRanch, type RealRanchOptions } from '../real-ranch.ts'

/** One ranch per file, with nobody started yet. Of a test that failed all is described. */
export function ranchTest(options: RealRanchOptions = {}) {
  return base.extend<{ $file: { ranch: RealRanch }; $test: { cleanUp: undefined } }>({
    ranch: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures off the pattern.
      async ({}, use) => {
        await using ranch = await createRealRanch(options)
        await use(ranch)
      },
      { scope: 'file' },
    ],
    cleanUp: [
      async ({ ranch, task }, use) => {
        await use(undefined)
        if (task.result?.state === 'fail') console.error(await ranch.describe())
      },
      { auto: true },
    ],
  })
}
