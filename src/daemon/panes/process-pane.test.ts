import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { statusSource } from '../../harness/claude-code/status.ts'
import { environmentOf } from '../../process/environment.ts'
import { statusDirectoryOf } from './process-pane.ts'

let dir: string
let agent: ChildProcess

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'tb-whereabouts-')))
})
afterEach(() => {
  agent.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

async function directoryWith(env: Record<string, string>): Promise<string | undefined> {
  agent = spawn('/bin/sleep', ['60'], { cwd: dir, env, stdio: 'ignore' })
  await new Promise((resolve, reject) => agent.once('spawn', resolve).once('error', reject))
  const pid = agent.pid ?? 0
  // For a moment after the exec, a process has no variables at all.
  const names = Object.keys(env)
  await waitFor(() => environmentOf(pid, names), {
    what: 'its variables',
    until: (found) => names.every((name) => found[name] === env[name]),
  })
  return statusDirectoryOf(pid, statusSource)
}

describe('the place where a process publishes its status', () => {
  test('is found by its own variables', async () => {
    expect(await directoryWith({ HOME: '/home/op' })).toBe('/home/op/.claude/sessions')
    agent.kill('SIGKILL')
    expect(await directoryWith({ CLAUDE_CONFIG_DIR: '/cfg' })).toBe('/cfg/sessions')
  })

  test('is below its own directory if they name a relative one', async () => {
    const env = { HOME: '/home/op', CLAUDE_CONFIG_DIR: '../cfg' }
    expect(await directoryWith(env)).toBe(join(dir, '..', 'cfg', 'sessions'))
  })

  test('is unknown if the process is gone', async () => {
    await directoryWith({ CLAUDE_CONFIG_DIR: 'cfg' })
    const ended = new Promise((resolve) => agent.once('exit', resolve))
    agent.kill('SIGKILL')
    await ended
    expect(statusDirectoryOf(agent.pid ?? 0, statusSource)).toBeUndefined()
  })
})
