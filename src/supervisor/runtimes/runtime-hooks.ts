import { readFileSync } from 'node:fs'
import { emitterPath, launcherPath } from '../../config/installation.ts'
import { userHome } from '../../config/paths.ts'
import type { HooksView } from '../../contract/supervisor.ts'
import { sessionKey } from '../../core/session/event.ts'
import { shellWord } from '../../core/shell-word.ts'
import { paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import type { Adapter } from '../../harness/adapter/adapter.ts'
import { adapterFor } from '../../harness/registry.ts'
import type { Site } from '../../harness/wiring/wiring.ts'
import { environmentOf } from '../../process/environment.ts'
import type { Herd } from '../context/herd.ts'
import type { AgentPlan } from '../context/workspaces.ts'

export type RuntimeHooksParts = {
  herd: Pick<Herd, 'session'>
  planOf(runtime: Runtime): AgentPlan
  /** The daemon's own. */
  env: NodeJS.ProcessEnv
}

/** What a runtime that does not run our hooks lacks; null if it runs them, or if we do not know. */
export function missingHooks(
  { herd, planOf, env }: RuntimeHooksParts,
  runtime: Runtime,
): HooksView | null {
  const adapter = adapterFor(runtime.harness)
  const wiring = adapter?.wiring
  if (!adapter || !wiring || isHeard(herd, runtime)) return null
  try {
    const { env: given, cwd, command = [] } = planOf(runtime)
    const own = { ...env, ...given, ...ownVariables(runtime, adapter) }
    if (wiring.runsHooks(siteFor(own), { cwd, args: command.slice(1) })) return null
    return {
      missing: `${adapter.title} runs no hooks of Trail Boss.`,
      cost: costFor(adapter),
      fix: [...homesIn(adapter, own, env), `trailboss install ${adapter.harness}`].join(' '),
    }
  } catch {
    return null
  }
}

function isHeard(herd: Pick<Herd, 'session'>, { harness, sessionId }: Runtime): boolean {
  const session = sessionId === undefined ? undefined : herd.session(sessionKey(harness, sessionId))
  return session?.evidence.heard.hook !== undefined
}

/** What its process really has: a pane gets the variables of its tmux server, not ours. */
function ownVariables(runtime: Runtime, { variables = [] }: Adapter): NodeJS.ProcessEnv {
  const pane = paneIn(runtime)
  const found = pane ? environmentOf(pane.pid, ['HOME', ...variables]) : {}
  if (found['HOME'] === undefined) return {}
  return Object.fromEntries(['HOME', ...variables].map((name) => [name, found[name]]))
}

function costFor({ transcript, transcriptFiles, status }: Adapter): string {
  return transcript && (transcriptFiles || status)
    ? 'Delivery of a prompt is confirmed from its transcript, a few seconds later.'
    : 'Delivery of a prompt cannot be confirmed: each one counts as lost.'
}

/** Where its files are, if that is not where the command would look. */
function homesIn({ variables = [] }: Adapter, own: NodeJS.ProcessEnv, env: NodeJS.ProcessEnv) {
  const others = variables.filter((name) => own[name] && own[name] !== env[name])
  return others.map((name) => `${name}=${shellWord(own[name] ?? '')}`)
}

/** Only for looking: nothing is installed from here. */
function siteFor(env: NodeJS.ProcessEnv): Site {
  const read = (path: string): string | undefined => {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return undefined
    }
  }
  return {
    env,
    home: userHome(env),
    emitter: { program: emitterPath() },
    launcher: launcherPath(),
    read,
    peek: read,
    before: () => undefined,
    note: () => undefined,
  }
}
