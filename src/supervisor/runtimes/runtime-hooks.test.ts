import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Session } from '../../core/session/session.ts'
import type { Runtime } from '../../core/supervisor/runtime/runtime.ts'
import type { AgentPlan } from '../context/workspaces.ts'
import { missingHooks } from './runtime-hooks.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tb-hooks-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const runtime = { harness: 'claude-code', status: 'stopped', sessionId: undefined } as Runtime
const hook = { hooks: [{ type: 'command', command: '/opt/bin/trailboss-emit claude-code' }] }

function look(one: Runtime, plan: Partial<AgentPlan> = {}, session?: Partial<Session>) {
  const planOf = () => ({ env: {}, cwd: home, ...plan }) as AgentPlan
  return missingHooks(
    { herd: { session: () => session as Session }, planOf, env: { HOME: home } },
    one,
  )
}

function wire(directory: string): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'settings.json'), JSON.stringify({ hooks: { Stop: [hook] } }))
}

test('without hooks it reports what that costs, and the command that adds them', () => {
  expect(look(runtime)).toEqual({
    missing: 'Claude Code runs no hooks of Trail Boss.',
    cost: 'Delivery of a prompt is confirmed from its transcript, a few seconds later.',
    fix: 'trailboss install claude-code',
  })
  expect(look({ ...runtime, harness: 'opencode' })).toMatchObject({
    cost: expect.stringContaining('cannot be confirmed'),
  })
})

test.each(['codex', 'gemini'])('%s is also confirmed from its transcript', (harness) => {
  expect(look({ ...runtime, harness })).toMatchObject({
    cost: expect.stringContaining('transcript'),
  })
})

test('there is nothing to report with hooks in the settings that it reads', () => {
  wire(join(home, '.claude'))
  expect(look(runtime)).toBeNull()
  const elsewhere = join(home, 'other')
  const plan = { env: { CLAUDE_CONFIG_DIR: elsewhere }, cwd: join(home, 'project') }
  expect(look(runtime, plan)).toMatchObject({
    fix: `CLAUDE_CONFIG_DIR=${elsewhere} trailboss install claude-code`,
  })
  wire(join(home, 'project', '.claude'))
  expect(look(runtime, plan)).toBeNull()
})

test('nor if its command names its own settings, or one of its hooks was heard', () => {
  expect(look(runtime, { command: ['claude', '--settings', 'hooks.json'] })).toBeNull()
  const session = { evidence: { heard: { hook: 1 } } } as Partial<Session>
  expect(look({ ...runtime, sessionId: 's' }, {}, session)).toBeNull()
})
