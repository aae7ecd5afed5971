import { stillTitle } from '../../core/screen/likeness.ts'
import type { Screen } from '../../core/screen/screen.ts'
import { matchScreen } from '../../core/screen/screen-match.ts'
import type { Shows } from '../../core/screen/screen-rule.ts'
import { sessionKey } from '../../core/session/event.ts'
import type { Session } from '../../core/session/session.ts'
import { markedAnswer } from '../../core/supervisor/dispatch/dispatch-observation.ts'
import { paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import type { TriageSight } from '../../core/supervisor/triage.ts'
import type { ComposerSight } from '../../core/supervisor/trigger/composer.ts'
import { adapterFor } from '../../harness/registry.ts'
import { sha256 } from '../../store/tables/audit.ts'
import type { ServerLinks } from '../../tmux/server-link/server-links.ts'
import type { SupervisorContext } from '../context/context.ts'
import type { Herd, Monitor } from '../context/herd.ts'
import type { TargetObserver } from '../triggers/target-observer.ts'

export type AgentObserverParts = {
  context: SupervisorContext
  herd: Pick<Herd, 'session'>
  monitor: Monitor
  operators: Pick<TargetObserver, 'lookAtOperators'>
  links: Pick<ServerLinks, 'screenOf'>
}

/** What is seen of an agent: its screen, its session and its operator. */
export type AgentLook = TriageSight & {
  session: Session | undefined
  /** Undefined if its pane is gone or tmux did not answer. */
  shown: Screen | undefined
  shows: Shows | undefined
  composer: ComposerSight | undefined
  /** When the monitor looks there next. */
  nextLookAt: number | undefined
}

export type AgentObserver = {
  look(runtime: Runtime): Promise<AgentLook>
  sessionOf(runtime: Runtime | undefined): Session | undefined
  /** The monitor's diagnosis of a screen that stands still, without a new look. */
  diagnosisOf(runtime: Runtime): TriageSight['diagnosis']
}

/** Looks at agents that may need help. */
export function createAgentObserver(parts: AgentObserverParts): AgentObserver {
  const { context, herd, monitor, operators, links } = parts
  const { clock, settings } = context

  const sessionOf = (runtime: Runtime | undefined): Session | undefined =>
    runtime?.sessionId === undefined
      ? undefined
      : herd.session(sessionKey(runtime.harness, runtime.sessionId))

  const monitoredOf = (session: Session | undefined) => session && monitor.viewOf(session)

  const screenOf = async (runtime: Runtime): Promise<Screen | undefined> => {
    const pane = paneIn(runtime)
    const seen = pane && (await links.screenOf(pane).catch(() => undefined))
    return seen?.screen
  }

  const isTypedIn = async (runtime: Runtime): Promise<boolean> => {
    const active = await operators.lookAtOperators([runtime]).catch(() => undefined)
    if (!active) return true
    const at = active.get(runtime.runtimeId)
    return at !== undefined && clock.now() - at < settings.delivery.quietMs
  }

  return {
    sessionOf,
    diagnosisOf: (runtime) => monitoredOf(sessionOf(runtime))?.diagnosis?.kind,
    async look(runtime) {
      const shown = await screenOf(runtime)
      const session = sessionOf(runtime)
      const seen = monitoredOf(session)
      const adapter = adapterFor(runtime.harness)
      const match = shown && matchScreen(adapter?.screenRules ?? [], shown)
      const composer = shown && adapter?.managed?.composer(shown)
      return {
        session,
        shown,
        shows: match?.shows,
        composer,
        // A time to come, which `fromWall` would take for now.
        nextLookAt: seen && clock.now() + (seen.nextLookAt - Date.now()),
        dialog:
          match?.shows === 'dialog' && shown
            ? markedAnswer(shown.lines, adapter?.managed?.oneTimeAnswers ?? [])
            : 'none',
        diagnosis: seen?.diagnosis?.kind,
        screen: shown ? nameOf(shown) : '',
        isTouched: composer?.kind === 'text' || (await isTypedIn(runtime)),
      }
    },
  }
}

/** Ignores spinners and timers, so that the name changes only when something happened. */
function nameOf({ lines }: Screen): string {
  return sha256(lines.map(stillTitle).join('\n')).slice(0, 16)
}
