import { delimiter, isAbsolute, join } from 'node:path'
import { launcherPath } from '../../config/installation.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import type { Pane } from '../../core/pane.ts'
import type { Relaunch } from '../../core/supervisor/runtime/restart.ts'
import {
  type PaneOfRuntime,
  type Runtime,
  targetOf,
} from '../../core/supervisor/runtime/runtime.ts'
import type { Adapter } from '../../harness/adapter/adapter.ts'
import type { BridgeMount } from '../../harness/adapter/managed.ts'
import { isProgram } from '../../harness/adapter/program-file.ts'
import { openPane } from '../../tmux/write/runtime-panes.ts'
import { type AgentPlan, managedHarness } from '../context/workspaces.ts'
import type { Command } from './prompt-channel.ts'

/** `refused`: nothing was started. `unknown`: nobody knows, and the next look tells. */
export type LaunchResult =
  | { kind: 'opened'; pane: PaneOfRuntime }
  | { kind: 'refused'; why: string }
  | { kind: 'unknown'; why: string }

export type LauncherParts = {
  planOf(runtime: Runtime): AgentPlan
  /** Whether there is anything to go on with: a session without a turn is kept by no harness. */
  canResume(runtime: Runtime): boolean
  tokens: {
    issue(runtime: Runtime): string
    revoke(runtimeId: string, why: string): void
  }
  /** The daemon's own: where its files are, and where programs are looked for. */
  env: NodeJS.ProcessEnv
}

export type Launcher = {
  /** Throws `HARNESS_MISSING`, `BAD_CONFIG`, `FORBIDDEN_DIRECTORY` where it cannot be started at all. */
  check(runtime: Runtime): void
  launch(runtime: Runtime, how: Relaunch, options: LaunchOptions): Promise<LaunchResult>
  /** What gives a prompt to its session; undefined where its program has no command for that. */
  promptCommand(runtime: Runtime, text: string): Command | undefined
}

type LaunchOptions = {
  prompt: string | undefined
  /** The pane that makes way, if it is still there. */
  instead: Pane | undefined
}

const BRIDGE_TOKEN = 'TRAILBOSS_BRIDGE_TOKEN'

export function createLauncher(parts: LauncherParts): Launcher {
  const { planOf, canResume, tokens, env } = parts
  const programOf = (plan: AgentPlan): { binary: string; args: string[] } => {
    const adapter = managedHarness(plan.harness)
    const [program, ...args] = plan.command ?? []
    const name = program ?? defaultProgram(adapter)
    const binary = findProgram(name, plan.env['PATH'] ?? env['PATH'], plan.cwd)
    if (binary === undefined) throw missing(adapter, name)
    return { binary, args }
  }

  return {
    check: (runtime) => void programOf(planOf(runtime)),
    async launch(runtime, how, { prompt, instead }) {
      try {
        const plan = planOf(runtime)
        const { managed } = managedHarness(plan.harness)
        const { binary, args } = programOf(plan)
        tokens.revoke(runtime.runtimeId, 'it is started again')
        const bridge = bridgeFor(tokens.issue(runtime), env)
        const isResumed = how === 'resume' && canResume(runtime)
        const launch = managed.launch({
          binary,
          args,
          bridge,
          ...(isResumed && { resume: runtime.sessionId as string }),
          ...(prompt !== undefined && { prompt }),
        })
        if (!launch.isPrompted) {
          return { kind: 'refused', why: 'it takes no prompt when it goes on with a session' }
        }
        const { id, server, pid } = await openPane({
          socket: runtime.socket,
          runtimeId: runtime.runtimeId,
          workspace: runtime.workspaceId,
          role: runtime.role,
          argv: launch.argv,
          env: { ...plan.env, ...homeOf(env), ...launch.env },
          cwd: plan.cwd,
          instead,
        })
        return { kind: 'opened', pane: { paneId: id, serverPid: server, panePid: pid } }
      } catch (error) {
        const isUnsure = error instanceof TrailBossError && error.code === 'TMUX_UNREACHABLE'
        const why = `${targetOf(runtime)}: ${messageOf(error)}`
        return { kind: isUnsure ? 'unknown' : 'refused', why }
      }
    },
    promptCommand(runtime, text) {
      const { sessionId } = runtime
      const plan = planOf(runtime)
      const { managed } = managedHarness(plan.harness)
      if (sessionId === undefined || !plan.channel || !managed.channel) return undefined
      const { binary } = programOf(plan)
      const argv = managed.channel({ binary, session: sessionId, text })
      return argv && { argv, env: { ...env, ...plan.env }, cwd: plan.cwd }
    },
  }
}

function bridgeFor(secret: string, env: NodeJS.ProcessEnv): BridgeMount {
  return {
    command: launcherPath(),
    args: ['bridge'],
    env: { [BRIDGE_TOKEN]: secret, ...homeOf(env) },
  }
}

/** Hooks and the bridge of an agent must find the daemon that started it. */
function homeOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const home = env['TRAILBOSS_HOME']
  return home ? { TRAILBOSS_HOME: home } : {}
}

function defaultProgram({ managed }: ReturnType<typeof managedHarness>): string {
  return managed.launch({ args: [] }).argv[0] ?? ''
}

function findProgram(name: string, path = '', cwd: string): string | undefined {
  const candidates = name.includes('/')
    ? [isAbsolute(name) ? name : join(cwd, name)]
    : path
        .split(delimiter)
        .filter(isAbsolute)
        .map((directory) => join(directory, name))
  return candidates.find(isProgram)
}

function missing({ title }: Adapter, name: string): TrailBossError {
  return new TrailBossError('HARNESS_MISSING', `${title} is not installed: there is no ${name}.`, {
    hint: 'Install it, or name its program in "command" of the role.',
  })
}
