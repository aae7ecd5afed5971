import { defineConfig } from 'vitest/config'

/** Built CLI, real tmux and real processes, in worlds of their own. */
const patient = { testTimeout: 60_000, hookTimeout: 60_000 }
const build = ['./test/support/build.ts']

export default defineConfig({
  test: {
    // They wait more than they compute, but too many at once would keep each other from it.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'src/{core,contract,config,text,tui,harness,client,cli,demo}/**/*.test.ts',
            'test/{architecture,docs,lock-file}.test.ts',
          ],
          // Properties try hundreds of inputs, on a busy machine too.
          testTimeout: 30_000,
        },
      },
      // Each of them writes to the disk and waits for it.
      { test: { name: 'store', include: ['src/store/**/*.test.ts'], testTimeout: 20_000 } },
      {
        test: {
          name: 'http',
          include: ['src/{service,process,daemon,supervisor}/**/*.test.ts'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'tmux',
          include: ['test/{tmux,emitter}/**/*.test.ts', 'src/tmux/**/*.test.ts'],
          globalSetup: build,
          ...patient,
        },
      },
      {
        test: {
          name: 'torture',
          include: ['test/torture/**/*.test.ts'],
          globalSetup: build,
          ...patient,
        },
      },
      {
        test: {
          name: 'acceptance',
          include: ['test/acceptance/**/*.test.ts'],
          globalSetup: build,
          ...patient,
        },
      },
    ],
  },
})
