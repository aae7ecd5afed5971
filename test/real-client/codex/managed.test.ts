import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { CodexAgent } from '../support/agents/codex-agent.ts'
import type { ProgramWorld } from '../support/program-world.ts'
import { codexTest } from '../support/tests/codex-test.ts'
import { describeManaged } from '../support/tests/managed.ts'

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
