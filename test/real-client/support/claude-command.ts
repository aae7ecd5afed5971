import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { FAKE_KEY } from './agents/claude-home.ts'
import { cachedClient } from './client.ts'
import type { RealWorld } from './real-world.ts'

type Claude = (...args: string[]) => string

/** Runs Claude Code as a script of the operator's would, and returns what it printed. In the end, no session is left. */
export function claudeIn({ world, model }: RealWorld): Disposable & { claude: Claude } {
  const cwd = join(world.dir, 'projects', 'unseen')
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
  const claude: Claude = (...args) =>
    execFileSync(cachedClient().binary, args, {
      cwd,
      env,
      encoding: 'utf8',
      timeout: 60_000,
      stdio: 'pipe',
    })
  return { claude, [Symbol.dispose]: () => void claude('daemon', 'stop', '--any') }
}
