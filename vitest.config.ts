import { defineConfig } from 'vitest/config'
import { inMemory } from './test/support/in-memory.ts'

/** A busy machine makes everything slow, and slow is no failure. */
const patient = { testTimeout: 60_000, hookTimeout: 60_000, env: inMemory }

/** They compute; two more workers use the cores while others wait for a file or a timer. */
const computing = { ...patient, maxWorkers: 4, isolate: false, sequence: { groupOrder: 0 } }

/** Built CLI, real tmux and real processes, in worlds of their own. They wait more than they compute. */
const waiting = {
  ...patient,
  maxWorkers: 7,
  sequence: { groupOrder: 1 },
  globalSetup: ['./test/support/build.ts'],
}

const unit = [
  'src/{core,contract,config,text,tui,harness,client,cli,demo,agent-sdk}/**/*.test.ts',
  'test/{architecture,docs,lock-file}.test.ts',
]
/** It adds a harness to the registry, which other modules read once: it needs modules of its own. */
const registry = { isolate: true, include: ['test/made-up-harness/**/*.test.ts'] }
const http = ['src/{service,process,daemon,supervisor}/**/*.test.ts']
const tmux = ['test/{tmux,emitter}/**/*.test.ts', 'src/tmux/**/*.test.ts']

export default defineConfig({
  test: {
    projects: [
      { test: { ...computing, name: 'unit', include: unit } },
      { test: { ...computing, name: 'registry', ...registry } },
      { test: { ...computing, name: 'store', include: ['src/store/**/*.test.ts'] } },
      { test: { ...computing, name: 'http', include: http } },
      { test: { ...waiting, name: 'tmux', include: tmux } },
      { test: { ...waiting, name: 'torture', include: ['test/torture/**/*.test.ts'] } },
      { test: { ...waiting, name: 'acceptance', include: ['test/acceptance/**/*.test.ts'] } },
    ],
  },
})
