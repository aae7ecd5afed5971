import { isSamePane } from '../../core/pane.ts'
import { redacted } from '../../core/redact/redaction.ts'
import { stillTitle } from '../../core/screen/likeness.ts'
import type { Screen } from '../../core/screen/screen.ts'
import { matchScreen } from '../../core/screen/screen-match.ts'
import { sessionKey } from '../../core/session/event.ts'
import type { Session } from '../../core/session/session.ts'
import {
  DISPATCH_REASON,
  type Dispatch,
  reviewReason,
} from '../../core/supervisor/dispatch/dispatch.ts'
import {
  type DispatchObservation,
  endsWithQuestion,
  markedAnswer,
  type TurnEnding,
} from '../../core/supervisor/dispatch/dispatch-observation.ts'
import type { Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { earliestWrite, type Trigger } from '../../core/supervisor/trigger/trigger.ts'
import { displayText, truncate } from '../../core/text.ts'
import { isInterruption } from '../../harness/adapter/ask-text.ts'
import { adapterFor } from '../../harness/registry.ts'
import { sha256 } from '../../store/tables/audit.ts'
import { listTriggers, readTrigger } from '../../store/tables/triggers.ts'
import { captureByProcess } from '../../tmux/server-link/screens.ts'
import type { SupervisorContext } from '../context/context.ts'
import type { Herd, Monitor } from '../context/herd.ts'
import type { Registry } from '../runtimes/registry.ts'
import { paneOf } from '../runtimes/runtime-observer.ts'
import type { TargetObserver } from '../triggers/target-observer.ts'

export type DispatchObserverParts = {
  context: SupervisorContext
  registry: Registry
  herd: Herd
  monitor: Monitor
  operators: Pick<TargetObserver, 'lookAtOperators'>
}

/** What was seen, and of what: the agent that is at work on it, and its screen. */
export type DispatchLook = {
  observed: DispatchObservation
  runtime: Runtime | undefined
  screen: Screen | undefined
  /** When the monitor looks there next. */
  nextLookAt: number | undefined
}

export type DispatchObserver = {
  look(dispatch: Dispatch): Promise<DispatchLook>
  /** Its runtime; while it is reviewed, the reviewer's. */
  runtimeOf(dispatch: Dispatch): Runtime | undefined
  sessionOf(runtime: Runtime | undefined): Session | undefined
  /** What its agent said when a turn ended, since it was given its task. */
  saidOf(dispatch: Dispatch): string | undefined
}

const MOST_WORDS = 16_000

export function createDispatchObserver(parts: DispatchObserverParts): DispatchObserver {
  const { context, registry, herd, monitor, operators } = parts
  const { db, clock, settings } = context

  const runtimeOf = ({ state, reviewer, runtimeId }: Dispatch) =>
    state === 'reviewing' && reviewer !== undefined
      ? registry.ofAgent(reviewer)
      : registry.find(runtimeId)

  const sessionOf = (runtime: Runtime | undefined) =>
    runtime?.sessionId === undefined
      ? undefined
      : herd.session(sessionKey(runtime.harness, runtime.sessionId))

  /** Whoever died between making one and writing that down made no second one. */
  const triggerOf = (dispatch: Dispatch): Trigger | undefined => {
    if (dispatch.state === 'reviewing') {
      const { reviewTriggerId, reviewer } = dispatch
      if (reviewTriggerId !== undefined) return readTrigger(db, reviewTriggerId)
      const reason = reviewReason(dispatch)
      return reviewer === undefined
        ? undefined
        : listTriggers(db, { agentId: reviewer }).find((one) => one.reason === reason)
    }
    const { triggerId, runtimeId } = dispatch
    if (triggerId !== undefined) return readTrigger(db, triggerId)
    return listTriggers(db, { runtimeId }).find(({ reason }) => reason === DISPATCH_REASON)
  }

  const isListed = (runtime: Runtime | undefined) => {
    const pane = runtime && paneOf(runtime)
    return herd.queue().some((item) => item.about === undefined && isSamePane(item.pane, pane))
  }

  const isTypedIn = async (runtime: Runtime): Promise<boolean> => {
    const active = await operators.lookAtOperators([runtime]).catch(() => undefined)
    if (!active) return true
    const at = active.get(runtime.runtimeId)
    return at !== undefined && clock.now() - at < settings.delivery.quietMs
  }

  return {
    runtimeOf,
    sessionOf,
    saidOf(dispatch) {
      const session = sessionOf(runtimeOf(dispatch))
      const trigger = triggerOf(dispatch)
      return session && trigger && saidSince(session, earliestWrite(trigger))
    },
    async look(dispatch) {
      const runtime = runtimeOf(dispatch)
      const screen = runtime && (await screenOf(runtime))
      const session = sessionOf(runtime)
      const seen = monitorOf(session)
      const adapter = runtime && adapterFor(runtime.harness)
      const shown = screen && matchScreen(adapter?.screenRules ?? [], screen)
      const composer = screen && adapter?.managed?.composer(screen)
      const trigger = triggerOf(dispatch)
      return {
        runtime,
        screen,
        nextLookAt: seen && clock.fromWall(seen.nextLookAt),
        observed: {
          runtime,
          trigger,
          verdict: session?.verdict,
          ending: endingOf(session, shown?.shows === 'failed'),
          lastWords: lastWordsOf(session),
          composer,
          dialog:
            shown?.shows === 'dialog' && screen
              ? markedAnswer(screen.lines, adapter?.managed?.oneTimeAnswers ?? [])
              : 'none',
          diagnosis: seen?.diagnosis?.kind,
          screen: screen ? nameOf(screen) : '',
          isTouched:
            composer?.kind === 'text' || (runtime !== undefined && (await isTypedIn(runtime))),
          isListed: isListed(runtime),
        },
      }
    },
  }

  function monitorOf(session: Session | undefined) {
    return session && monitor.viewOf(session)
  }

  function endingOf(session: Session | undefined, hasFailed: boolean): TurnEnding {
    const verdict = session?.verdict
    if (!session || verdict?.state !== 'stuck') return 'said'
    if (isInterruption(verdict.ask)) return 'interrupted'
    if (hasFailed) return 'failed'
    if (herd.turnEnd(session.key).leftTasks) return 'left-tasks'
    return endsWithQuestion(verdict.ask.text) ? 'asked' : 'said'
  }
}

/** Undefined where it could not be looked at, or where it is not its screen. */
async function screenOf(runtime: Runtime): Promise<Screen | undefined> {
  const pane = paneOf(runtime)
  if (!pane) return undefined
  const screens = await captureByProcess(pane.socket, [pane.id]).catch(() => undefined)
  const seen = screens?.get(pane.id)
  return seen && seen.pid === pane.pid && !seen.isDead ? seen.screen : undefined
}

/** Without spinners and timers, so that it is another one only when something happened. */
function nameOf({ lines }: Screen): string {
  return sha256(lines.map(stillTitle).join('\n')).slice(0, 16)
}

function lastWordsOf(session: Session | undefined): string | undefined {
  if (!session) return undefined
  const { verdict } = session
  const said = verdict.state === 'stuck' ? verdict.ask.text : stopsOf(session)[0]?.ask?.text
  return said === undefined ? undefined : keptWords(said)
}

/** What it asks for meanwhile is not said, nor that it was broken off. */
function saidSince(session: Session, at: number): string | undefined {
  const { verdict } = session
  const hasStopped =
    verdict.state === 'stuck' && verdict.reason === 'stopped' && verdict.by !== 'process'
  const now = hasStopped ? [{ at: verdict.since, ask: verdict.ask }] : []
  const said = [...now, ...stopsOf(session)].find(
    (stop) => stop.at >= at && stop.ask && !isInterruption(stop.ask),
  )
  return said?.ask && keptWords(said.ask.text)
}

/** The latest one first. */
function stopsOf({ evidence }: Session) {
  return Object.values(evidence.stops).toSorted((a, b) => b.at - a.at)
}

function keptWords(text: string): string {
  return redacted(truncate(displayText(text), MOST_WORDS))
}
