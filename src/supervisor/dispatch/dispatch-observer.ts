import { redacted } from '../../core/redact/redaction.ts'
import type { Screen } from '../../core/screen/screen.ts'
import type { Session } from '../../core/session/session.ts'
import { endsWithQuestion } from '../../core/session/turn-end.ts'
import {
  DISPATCH_REASON,
  type Dispatch,
  reviewReason,
} from '../../core/supervisor/dispatch/dispatch.ts'
import type {
  DispatchObservation,
  TurnEnding,
} from '../../core/supervisor/dispatch/dispatch-observation.ts'
import { paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { earliestWrite, type Trigger } from '../../core/supervisor/trigger/trigger.ts'
import { displayText, truncate } from '../../core/text.ts'
import { isInterruption } from '../../harness/adapter/ask-text.ts'
import { listTriggers, readTrigger } from '../../store/tables/triggers.ts'
import type { SupervisorContext } from '../context/context.ts'
import { type Herd, waitingIn } from '../context/herd.ts'
import type { Registry } from '../runtimes/registry.ts'
import type { AgentObserver } from '../triage/agent-observer.ts'

export type DispatchObserverParts = {
  context: SupervisorContext
  registry: Registry
  herd: Herd
  agents: AgentObserver
}

/** What was seen, and of what: the agent that works on it, and its screen. */
export type DispatchLook = {
  observed: DispatchObservation
  runtime: Runtime | undefined
  screen: Screen | undefined
  /** When the monitor looks there next. */
  nextLookAt: number | undefined
}

export type DispatchObserver = {
  look(dispatch: Dispatch): Promise<DispatchLook>
  /** Its runtime; during the review, the reviewer's. */
  runtimeOf(dispatch: Dispatch): Runtime | undefined
  sessionOf(runtime: Runtime | undefined): Session | undefined
  /** What its agent said when a turn ended, since it got its task. */
  saidOf(dispatch: Dispatch): string | undefined
  /** Whether its last message can be accepted as its result: there is one, and no permission is open. */
  canAccept(dispatch: Dispatch): boolean
  asksPermission(dispatch: Dispatch): boolean
}

const MOST_WORDS = 16_000

export function createDispatchObserver(parts: DispatchObserverParts): DispatchObserver {
  const { context, registry, herd, agents } = parts
  const { db } = context
  const { sessionOf } = agents

  const runtimeOf = ({ state, reviewer, runtimeId }: Dispatch) =>
    state === 'reviewing' && reviewer !== undefined
      ? registry.ofAgent(reviewer)
      : registry.find(runtimeId)

  /** Also finds a trigger that a crash kept us from recording in the dispatch, so that none is made twice. */
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
    const pane = runtime && paneIn(runtime)
    return waitingIn(herd, pane) !== undefined
  }

  const saidOf = (dispatch: Dispatch): string | undefined => {
    const session = sessionOf(runtimeOf(dispatch))
    const trigger = triggerOf(dispatch)
    return session && trigger && saidSince(session, earliestWrite(trigger))
  }

  const asksPermission = (dispatch: Dispatch): boolean => {
    const verdict = sessionOf(runtimeOf(dispatch))?.verdict
    return verdict?.state === 'stuck' && verdict.reason === 'permission'
  }

  return {
    runtimeOf,
    sessionOf,
    saidOf,
    asksPermission,
    canAccept(dispatch) {
      if (dispatch.state !== 'working' && dispatch.state !== 'waiting') return false
      return !asksPermission(dispatch) && saidOf(dispatch) !== undefined
    },
    async look(dispatch) {
      const runtime = runtimeOf(dispatch)
      const look = runtime && (await agents.look(runtime))
      const session = look?.session
      return {
        runtime,
        screen: look?.shown,
        nextLookAt: look?.nextLookAt,
        observed: {
          runtime,
          trigger: triggerOf(dispatch),
          verdict: session?.verdict,
          ending: endingOf(session, look?.shows === 'failed'),
          lastWords: lastWordsOf(session),
          composer: look?.composer,
          dialog: look?.dialog ?? 'none',
          diagnosis: look?.diagnosis,
          screen: look?.screen ?? '',
          isTouched: look?.isTouched ?? false,
          isListed: isListed(runtime),
        },
      }
    },
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

function lastWordsOf(session: Session | undefined): string | undefined {
  if (!session) return undefined
  const { verdict } = session
  const said = verdict.state === 'stuck' ? verdict.ask.text : stopsOf(session)[0]?.ask?.text
  return said === undefined ? undefined : keptWords(said)
}

/** Requests in the middle of a turn do not count as said, nor does an interruption. */
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

/** The latest first. */
function stopsOf({ evidence }: Session) {
  return Object.values(evidence.stops).toSorted((a, b) => b.at - a.at)
}

function keptWords(text: string): string {
  return redacted(truncate(displayText(text), MOST_WORDS))
}
