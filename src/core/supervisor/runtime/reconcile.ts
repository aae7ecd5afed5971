import { DEFAULT_RULES, type SupervisorRules } from '../defaults.ts'
import type { FailureCode } from './failure-code.ts'
import { isResumable, type Relaunch, restartPlan } from './restart.ts'
import {
  afterRuntimeEvent,
  type PaneOfRuntime,
  type Runtime,
  withoutSession,
  withPane,
  withRestart,
} from './runtime.ts'
import type { RuntimeEvent } from './runtime-transition.ts'

/** Everything seen of a runtime at one moment. */
export type RuntimeObservation = {
  /** Whether a tmux server runs where its pane belongs. */
  hasServer: boolean
  pane: PanePresence
  /** A pane opened for this runtime that the registry does not know, because of a crash in between. */
  stray: PaneOfRuntime | undefined
  /** Whether the agent is in the foreground of its pane; undefined if we could not see that. */
  isAgentThere: boolean | undefined
  /** Since when something else is in the foreground. */
  otherSince: number | undefined
  /** False if its harness has stored no session yet, because nothing was said in it. */
  isSessionKept: boolean
  /** Whether a trigger is being delivered to it: then only the delivery launches and ends its process. */
  isDelivering: boolean
}

/**
 * What became of the pane of a runtime. `exited`: its process ended cleanly, `dead`: in any other way. `missing`:
 * two listings in a row did not have it. `other`: another process than the one we know is in it. `unseen`: tmux
 * did not answer, which says nothing.
 */
export type PanePresence = 'here' | 'exited' | 'dead' | 'missing' | 'other' | 'unseen'

/** The runtime to store, and what to do once it is stored. */
export type RuntimeOutcome = { runtime: Runtime; act: RuntimeAction; code?: FailureCode }

export type RuntimeAction =
  | { kind: 'none' }
  | { kind: 'launch'; how: Relaunch }
  | { kind: 'stop'; manner: 'gracefully' | 'at-once' }

/**
 * Compares the registry with reality once. A process is launched only when the one before is positively gone, so a
 * role never has more than one.
 */
export function reconcileStep(
  runtime: Runtime,
  observed: RuntimeObservation,
  now: number,
  rules: SupervisorRules = DEFAULT_RULES,
): RuntimeOutcome {
  if (observed.pane === 'unseen') return unchanged(runtime)
  if (observed.stray && observed.pane !== 'here') {
    return { ...unchanged(withPane(runtime, observed.stray)), code: 'REGISTRY_DRIFT' }
  }
  const step: RuntimeStep = { runtime, observed, now, rules }
  switch (runtime.status) {
    case 'starting':
      return whileStarting(step)
    case 'ready':
      return whileReady(step)
    case 'offline':
    case 'failed':
      return whileDown(step)
    case 'stopping':
      return whileStopping(step)
    case 'stopped':
    case 'given-up':
      return unchanged(runtime)
    default:
      return runtime satisfies never
  }
}

/** The operator wants it to run: earlier failures no longer count. */
export function startedRuntime(
  runtime: Runtime,
  now: number,
  rules: SupervisorRules = DEFAULT_RULES,
): RuntimeOutcome {
  const wanted: Runtime = { ...runtime, failures: [], lastFailure: undefined }
  const started = afterRuntimeEvent(wanted, 'start_runtime', now, rules.restart) ?? wanted
  return runtime.status === 'stopped' ? launching(started, 'spawn') : unchanged(started)
}

/** The operator wants it to stop; `restartBy` wants it restarted afterwards. */
export function stoppedRuntime(
  runtime: Runtime,
  restartBy: string | undefined,
  now: number,
  rules: SupervisorRules = DEFAULT_RULES,
): RuntimeOutcome {
  const stopping = afterRuntimeEvent(runtime, 'stop_runtime', now, rules.restart)
  const marked = withRestart(stopping ?? runtime, restartBy)
  return stopping
    ? { runtime: marked, act: { kind: 'stop', manner: 'gracefully' } }
    : unchanged(marked)
}

/** After a launch: with the pane it got, or none if it is certain that nothing was started. */
export function launchedRuntime(
  runtime: Runtime,
  pane: PaneOfRuntime | undefined,
  now: number,
  rules: SupervisorRules = DEFAULT_RULES,
): Runtime {
  if (pane) return withPane(runtime, pane)
  return afterRuntimeEvent(runtime, 'spawn_failed', now, rules.restart) ?? runtime
}

type RuntimeStep = {
  runtime: Runtime
  observed: RuntimeObservation
  now: number
  rules: SupervisorRules
}

function whileStarting(step: RuntimeStep): RuntimeOutcome {
  const { runtime, observed, now, rules } = step
  if (observed.pane !== 'here') return moved(step, deathOf(observed.pane), lossCode(observed.pane))
  if (observed.isAgentThere) return moved(step, 'agent_detected')
  const isLate = now - runtime.statusAt >= rules.runtime.startTimeoutMs
  return isLate ? moved(step, 'start_timeout', 'SPAWN_FAILED') : unchanged(runtime)
}

function whileReady(step: RuntimeStep): RuntimeOutcome {
  const { runtime, observed, now, rules } = step
  if (observed.isDelivering) return unchanged(runtime)
  if (observed.pane === 'exited') return moved(step, 'clean_exit')
  if (observed.pane !== 'here') return moved(step, deathOf(observed.pane), lossCode(observed.pane))
  const { otherSince } = observed
  const isOther = otherSince !== undefined && now - otherSince >= rules.runtime.commandGraceMs
  return isOther ? moved(step, 'wrong_command', 'REGISTRY_DRIFT') : unchanged(runtime)
}

function whileDown(step: RuntimeStep): RuntimeOutcome {
  const { runtime, observed, now, rules } = step
  if (observed.pane === 'here') return stillHere(step)
  // Whoever ended tmux did not ask for a new server. The runtime continues in the next one.
  if (!observed.hasServer) return unchanged(runtime)
  const plan = restartPlan(runtime.failures, now, rules.restart)
  if (plan === 'failed') return moved(step, 'reconcile_failed', 'SPAWN_FAILED')
  if (now < plan.atMs) return unchanged(runtime)
  const isResumed =
    plan.restart === 'resume' && observed.isSessionKept && isResumable(runtime, now, rules.restart)
  const event = runtime.status === 'offline' ? 'reconcile_restart' : 'manual_or_auto_recover'
  return launching(moved(step, event).runtime, isResumed ? 'resume' : 'spawn')
}

function launching(runtime: Runtime, how: Relaunch): RuntimeOutcome {
  const starting = how === 'spawn' ? withoutSession(runtime) : runtime
  return { runtime: starting, act: { kind: 'launch', how } }
}

/** An agent that is alive after all is left alone; anything else makes way for the next process. */
function stillHere(step: RuntimeStep): RuntimeOutcome {
  const { runtime, observed } = step
  if (runtime.status !== 'offline') return ending(step)
  return observed.isAgentThere ? moved(step, 'agent_detected') : ending(step)
}

function whileStopping(step: RuntimeStep): RuntimeOutcome {
  return step.observed.pane === 'here' ? ending(step) : moved(step, 'runtime_stopped')
}

function ending({ runtime, now, rules }: RuntimeStep): RuntimeOutcome {
  const isLate = now - runtime.statusAt >= rules.runtime.stopTimeoutMs
  return { runtime, act: { kind: 'stop', manner: isLate ? 'at-once' : 'gracefully' } }
}

function deathOf(pane: PanePresence): RuntimeEvent {
  return pane === 'dead' || pane === 'exited' ? 'pane_dead' : 'pane_missing'
}

function lossCode(pane: PanePresence): FailureCode {
  if (pane === 'other') return 'REGISTRY_DRIFT'
  return pane === 'missing' ? 'TARGET_NOT_FOUND' : 'PANE_DEAD'
}

function moved(
  { runtime, now, rules }: RuntimeStep,
  event: RuntimeEvent,
  code?: FailureCode,
): RuntimeOutcome {
  const next = afterRuntimeEvent(runtime, event, now, rules.restart)
  if (!next) return unchanged(runtime)
  return { ...unchanged(next), ...(code && { code }) }
}

function unchanged(runtime: Runtime): RuntimeOutcome {
  return { runtime, act: { kind: 'none' } }
}
