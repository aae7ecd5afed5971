import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { distDir, emitterPath, launcherPath } from '../../config/installation.ts'
import { quote, renderConf } from '../../tmux/conf/keys.ts'
import type { Sandbox } from './sandbox.ts'

export type HerdOptions = {
  prefix: string
  /** Makes the agents ask when a file in this directory allows it, instead of by the clock. */
  steer?: string
  signal?: AbortSignal
}

/** In the order in which they first get stuck. */
export const AGENTS = [
  { name: 'api', session: 'shop' },
  { name: 'web', session: 'shop' },
  { name: 'docs', session: 'ops' },
  { name: 'infra', session: 'ops' },
] as const

export type AgentName = (typeof AGENTS)[number]['name']

export const WELCOME = 'shop:welcome'
export const KEYS = { next: 'Tab', popup: 'g', skip: 'S', back: 'B' } as const

/** Starts tmux with the keys, the daemon and four agents in it. Returns the pane of each agent. */
export async function startHerd(
  sandbox: Sandbox,
  options: HerdOptions,
): Promise<Record<AgentName, string>> {
  const conf = join(sandbox.dir, 'tmux.conf')
  writeFileSync(conf, demoConf(sandbox, options.prefix))
  const script = ['--', process.execPath, join(distDir(), 'demo-agent.mjs')]
  const common = ['--prefix', options.prefix, '--emitter', emitterPath()]
  const steer = options.steer === undefined ? [] : ['--steer', options.steer]
  const home = sandbox.env['HOME'] ?? sandbox.dir
  await sandbox.tmux([
    ...['-f', conf, 'new-session', '-d', '-s', 'shop', '-n', 'welcome', '-c', home],
    ...[...script, 'welcome', ...common],
  ])
  await sandbox.startDaemon(options.signal)
  const panes: Partial<Record<AgentName, string>> = {}
  for (const { name, session } of AGENTS) {
    options.signal?.throwIfAborted()
    const cwd = join(home, name)
    mkdirSync(cwd)
    const where = (await hasSession(sandbox, session))
      ? ['new-window', '-d', '-t', `=${session}:`]
      : ['new-session', '-d', '-s', session]
    const pane = ['-n', name, '-c', cwd, '-P', '-F', '#{pane_id}']
    panes[name] = await sandbox.tmux([...where, ...pane, ...script, name, ...common, ...steer])
  }
  await sandbox.processes()
  return panes as Record<AgentName, string>
}

async function hasSession(sandbox: Sandbox, session: string): Promise<boolean> {
  const sessions = await sandbox.tmux(['list-sessions', '-F', '#{session_name}'])
  return sessions.split('\n').includes(session)
}

function demoConf(sandbox: Sandbox, prefix: string): string {
  const env = { TRAILBOSS_HOME: sandbox.paths.home, TRAILBOSS_PORT: '0' }
  return [
    `set-option -g prefix ${quote(prefix)}`,
    `bind-key ${quote(prefix)} send-prefix`,
    'set-option -s escape-time 20',
    'set-option -g automatic-rename off',
    'set-option -g allow-rename off',
    'set-option -g mouse on',
    "set-option -g status-style 'bg=colour236,fg=colour250'",
    "set-option -g status-left '#[bold] #S #[nobold] '",
    'set-option -g status-left-length 20',
    "set-option -g status-right ''",
    "set-option -g window-status-format ' #W '",
    "set-option -g window-status-current-format '#[reverse] #W #[noreverse]'",
    "set-option -g window-status-separator ''",
    // The server ends with its last client, even if nobody is left to end it. A client without a terminal may attach
    // before the operator does.
    `set-hook -g client-attached "if-shell -F '#{client_control_mode}' '' 'set-option -s exit-unattached on'"`,
    renderConf({ launcher: launcherPath(), keys: KEYS, status: true, start: false, env }),
  ].join('\n')
}
