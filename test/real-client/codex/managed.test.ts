import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { CodexAgent } from '../support/codex-agent.ts'
import { codexTest } from '../support/codex-test.ts'
import { describeManaged } from '../support/managed.ts'
import type { ProgramWorld } from '../support/program-world.ts'

const test = codexTest({ sharedDaemon: true })

describeManaged<CodexAgent, ProgramWorld<CodexAgent>>(test, {
  title: 'Codex',
  harness: 'codex',
  tool: 'mcp__trailboss/whoami',
  start: (real, options) => real.start(options),
})

test('it starts no shared daemon, whatever its config says', ({ real }) => {
  expect(existsSync(join(real.world.home, '.codex', 'sessions'))).toBe(true)
  expect(existsSync(join(real.world.home, '.codex', 'app-server-daemon'))).toBe(false)
})
