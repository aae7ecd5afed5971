import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TmuxServer } from '../../../support/tmux-server.ts'
import type { RealAgentOptions } from './claude-agent.ts'
import { FAKE_KEY } from './claude-home.ts'
import { CLEAR_SCREEN, commonEnv, type LaunchScript, writeLaunchScript } from './pane-program.ts'

export type AgentPlaces = { dir: string; home: string; env: NodeJS.ProcessEnv; server: TmuxServer }

const MCP_SERVER = fileURLToPath(new URL('./mcp-server.mjs', import.meta.url))

export type Launch = LaunchScript & { cwd: string }

export function writeLauncher(
  name: string,
  session: string,
  { places, model, binary }: { places: AgentPlaces; model: { url: string }; binary: string },
  options: RealAgentOptions,
): Launch {
  const base = join(places.dir, 'real', `${name}-${session.slice(0, 8)}`)
  const cwd = options.cwd ?? join(places.dir, 'projects', name)
  mkdirSync(base, { recursive: true })
  mkdirSync(cwd, { recursive: true })
  const tmp = join(places.dir, 'tmp')
  mkdirSync(tmp, { recursive: true })
  const env = {
    ...commonEnv(places),
    TMPDIR: tmp,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: FAKE_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    ...options.env,
  }
  const args = [
    ...(options.isCommand ? [] : ['--permission-mode', options.permissionMode ?? 'manual']),
    ...(options.mcp ? ['--mcp-config', writeMcpConfig(base)] : []),
    // What comes last may be a prompt.
    ...(options.args ?? ['--session-id', session]),
  ]
  const before = [CLEAR_SCREEN]
  return { ...writeLaunchScript(base, { cwd, env, argv: [binary, ...args], before }), cwd }
}

function writeMcpConfig(base: string): string {
  const file = join(base, 'mcp.json')
  const ranch = { type: 'stdio', command: process.execPath, args: [MCP_SERVER] }
  writeFileSync(file, JSON.stringify({ mcpServers: { ranch } }))
  return file
}
