import { defineConfig } from 'vitest/config'

/** The real agents: apart from `npm test`, because they have to be fetched first. */
export default defineConfig({
  test: {
    name: 'real',
    include: ['test/real-client/**/*.test.ts'],
    globalSetup: ['./test/support/build.ts'],
    // They wait more than they compute.
    maxWorkers: 3,
    testTimeout: 480_000,
    hookTimeout: 240_000,
  },
})
