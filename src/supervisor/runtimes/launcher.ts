import { launcherPath } from '../../config/installation.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import type { Pane } from '../../core/pane.ts'
import { conversationOf } from '../../core/session/event.ts'
import type { Relaunch } from '../../core/supervisor/runtime/restart.ts'
import {
  type PaneOfRuntime,
  type Runtime,
  targetOf,
} from '../../core/supervisor/runtime/runtime.ts'
import type { BridgeMount } from '../../harness/adapter/managed.ts'
import { requireProgram } from '../../harness/adapter/program-file.ts'
import { childVariables, managedHarness } from '../../harness/registry.ts'
import { openPane } from '../../tmux/write/runtime-panes.ts'
import type { AgentPlan } from '../context/workspaces.ts'
import type { Command } from './prompt-channel.ts'

/** `refused`: nothing was started. `unknown`: nobody knows, and the next look will show. */
export type LaunchResult =
  | { kind: 'opened'; pane: PaneOfRuntime }
  | { kind: 'refused'; why: string }
  | { kind: 'unknown'; why: string }

export type LauncherParts = {
  planOf(runtime: Runtime): AgentPlan
  /** Whether there is a session to resume: no harness keeps a session without a turn. */
  canResume(runtime: Runtime): boolean
  tokens: {
    issue(runtime: Runtime): string
    revoke(runtimeId: string, why: string): void
  }
  /** The daemon's own: where its files are, and where to look for programs. */
  env: NodeJS.ProcessEnv
}

export type Launcher = {
  /** Throws `HARNESS_MISSING`, `BAD_CONFIG` or `FORBIDDEN_DIRECTORY` if it cannot be started at all. */
  check(runtime: Runtime): void
  launch(runtime: Runtime, how: Relaunch, options: LaunchOptions): Promise<LaunchResult>
  /** The command that gives a prompt to its session; undefined if its program has none. */
  promptCommand(runtime: Runtime, text: string): Command | undefined
}

type LaunchOptions = {
  prompt: string | undefined
  /** The pane to replace, if it still exists. */
  instead: Pane | undefined
}

const BRIDGE_TOKEN = 'TRAILBOSS_BRIDGE_TOKEN'

export function createLauncher(parts: LauncherParts): Launcher {
  const { planOf, canResume, tokens, env } = parts
  const programOf = ({ harness, command, env: own, cwd }: AgentPlan) => {
    const place = { path: own['PATH'] ?? env['PATH'], cwd }
    const binary = requireProgram(managedHarness(harness), command, place)
    return { binary, args: command?.slice(1) ?? [] }
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
          ...(isResumed && { resume: conversationOf(runtime.sessionId as string) }),
          ...(prompt !== undefined && { prompt }),
        })
        if (!launch.isPrompted) {
          return { kind: 'refused', why: 'it takes no prompt when it goes on with a session' }
        }
        const { socket, id, server, pid, index } = await openPane({
          socket: runtime.socket,
          runtimeId: runtime.runtimeId,
          workspace: runtime.workspaceId,
          role: runtime.role,
          argv: launch.argv,
          env: { ...plan.env, ...homeOf(env), ...launch.env },
          withoutVariables: [BRIDGE_TOKEN, ...childVariables()],
          cwd: plan.cwd,
          instead,
        })
        return { kind: 'opened', pane: { socket, id, server, pid, index } }
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

/** The hooks and the bridge of an agent must find the daemon that started it. */
function homeOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const home = env['TRAILBOSS_HOME']
  return home ? { TRAILBOSS_HOME: home } : {}
}
