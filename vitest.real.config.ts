import { defineConfig } from 'vitest/config'

/** The real Claude Code: apart from `npm test`, because it has to be fetched first. */
export default defineConfig({
  test: {
    name: 'real',
    include: ['test/real-client/**/*.test.ts'],
    globalSetup: ['./test/support/build.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
