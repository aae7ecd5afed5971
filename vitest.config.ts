import { defineConfig } from 'vitest/config'

/** Built CLI, real tmux and real processes: these files run one at a time. */
const serial = { fileParallelism: false, testTimeout: 60_000, hookTimeout: 60_000 }
const build = ['./test/support/build.ts']

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'src/{core,contract,config,tui,harness,client,cli,demo}/**/*.test.ts',
            'test/{architecture,docs}.test.ts',
          ],
        },
      },
      { test: { name: 'store', include: ['src/store/**/*.test.ts'] } },
      { test: { name: 'http', include: ['src/daemon/**/*.test.ts'], testTimeout: 20_000 } },
      {
        test: {
          name: 'tmux',
          include: ['test/{tmux,emitter}/**/*.test.ts', 'src/tmux/**/*.test.ts'],
          globalSetup: build,
          ...serial,
        },
      },
      {
        test: {
          name: 'torture',
          include: ['test/torture/**/*.test.ts'],
          globalSetup: build,
          ...serial,
        },
      },
      {
        test: {
          name: 'acceptance',
          include: ['test/acceptance/**/*.test.ts'],
          globalSetup: build,
          ...serial,
        },
      },
    ],
  },
})
