import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { command } from '../../support/command.ts'
import { actUntil } from '../../support/wait-for.ts'
import type { RealAgent } from './agents/claude-agent.ts'
import { FAKE_KEY } from './agents/claude-home.ts'
import { isIdleComposer } from './agents/screen.ts'
import { cachedClient } from './client.ts'
import type { RealWorld } from './real-world.ts'

type Claude = (...args: string[]) => string

export type ClaudeCommand = {
  /** Where it runs. */
  cwd: string
  claude: Claude
  /** Without waiting for its end. */
  startClaude(...args: string[]): ChildProcess
}

/** Where a script of the operator's runs Claude Code, outside of tmux. */
export type ClaudePlace = { binary: string; cwd: string; env: NodeJS.ProcessEnv }

/**
 * Runs Claude Code as a script of the operator's would, and returns what it printed. In the end, no session is left:
 * a program in a pane that still shows one would start their daemon again.
 */
export function claudeIn(real: RealWorld): AsyncDisposable & ClaudeCommand {
  const { binary, cwd, env } = claudePlace(real, 'unseen')
  const claude: Claude = (...args) =>
    execFileSync(binary, args, { cwd, env, encoding: 'utf8', timeout: 60_000, stdio: 'pipe' })
  const started: ChildProcess[] = []
  const startClaude: ClaudeCommand['startClaude'] = (...args) => {
    const child = spawn(binary, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    started.push(child)
    return child
  }
  return {
    cwd,
    claude,
    startClaude,
    [Symbol.asyncDispose]: async () => {
      for (const child of started) child.kill()
      for (const agent of real.agents) await agent[Symbol.asyncDispose]()
      claude('daemon', 'stop', '--any')
    },
  }
}

/** The same without waiting in the way of everything else. */
export async function runClaude(place: ClaudePlace, ...args: string[]): Promise<string> {
  const { binary, cwd, env } = place
  const { code, stdout, stderr } = await command(binary, args, { cwd, env, timeoutMs: 60_000 })
  if (code !== 0) throw new Error(`claude ${args.join(' ')} exited ${code}: ${stderr}`)
  return stdout
}

export function claudePlace({ world, model }: RealWorld, project: string): ClaudePlace {
  const cwd = join(world.dir, 'projects', project)
  const tmp = join(world.dir, 'tmp')
  for (const directory of [cwd, tmp]) mkdirSync(directory, { recursive: true })
  const { PATH, HOME, LANG, SHELL, TRAILBOSS_HOME, TRAILBOSS_PORT } = world.env
  const env = {
    ...{ PATH, HOME, LANG, SHELL, TRAILBOSS_HOME, TRAILBOSS_PORT, TERM: 'xterm-256color' },
    TMPDIR: tmp,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: FAKE_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
  }
  return { binary: cachedClient().binary, cwd, env }
}

/** Moves the agent's session to the background with one key. */
export async function moveToBackground(agent: RealAgent): Promise<void> {
  await agent.pressUntil('Left', (screen) => /moved to the background/.test(screen))
}

/** Opens it again from the list. Opened too soon, it may stay at "Reconnecting…" (2.1.325): then once more. */
export async function returnTo(agent: RealAgent): Promise<void> {
  const press = async () => {
    const isList = /for a new session/.test(await agent.screen())
    await agent.press(isList ? 'Enter' : 'Left')
  }
  const isBack = async () => {
    const screen = await agent.screen()
    return !/for a new session|Reconnecting/.test(screen) && isIdleComposer(screen)
  }
  const what = `${agent.name} to show its session again`
  await actUntil(press, isBack, { what, timeoutMs: 60_000 })
}
