import { DEFAULT_RULES, type SupervisorRules } from '../defaults.ts'
import type { PanePresence } from '../trigger/trigger-sight.ts'
import type { FailureCode } from './failure-code.ts'
import { isResumable, type Relaunch, restartPlan } from './restart.ts'
import {
  afterRuntimeEvent,
  isDelivering,
  type PaneOfRuntime,
  type Runtime,
  withoutSession,
  withPane,
} from './runtime.ts'
import type { RuntimeEvent } from './runtime-transition.ts'

/** All that is seen of a runtime at one moment. */
export type RuntimeSight = {
  /** Whether a tmux server runs where its pane is to be. */
  hasServer: boolean
  pane: PanePresence
  /** A pane that was opened for this runtime and that the registry does not know: a crash came between. */
  stray: PaneOfRuntime | undefined
  /** Whether the agent is in the foreground of its pane; undefined where that could not be seen. */
  isAgentThere: boolean | undefined
  /** Since when something else is in the foreground. */
  otherSince: number | undefined
  /** False where its harness keeps nothing of its session, since nothing was said in it yet. */
  isSessionKept: boolean
  /** Whether a trigger is being delivered to it. */
  hasOpenTrigger: boolean
}

/** The runtime as it is to be stored, and what is to be done once it is. */
export type RuntimeOutcome = { runtime: Runtime; act: RuntimeAct; code?: FailureCode }

export type RuntimeAct =
  | { kind: 'none' }
  | { kind: 'launch'; how: Relaunch }
  | { kind: 'stop'; manner: 'gracefully' | 'at-once' }

/**
 * One comparison of what the registry says with what is there. A process is launched only when the one
 * before is positively gone, so that of a role there is never more than one; and never by us while a
 * trigger is delivered, which may launch one itself.
 */
export function reconcileStep(
  runtime: Runtime,
  sight: RuntimeSight,
  now: number,
  rules: SupervisorRules = DEFAULT_RULES,
): RuntimeOutcome {
  if (sight.pane === 'unseen') return unchanged(runtime)
  if (sight.stray && sight.pane !== 'here') {
    return { ...unchanged(withPane(runtime, sight.stray)), code: 'REGISTRY_DRIFT' }
  }
  const step: RuntimeStep = { runtime, sight, now, rules }
  if (isDelivering(runtime)) {
    return sight.hasOpenTrigger ? unchanged(runtime) : moved(step, 'trigger_dropped')
  }
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
    default:
      return unchanged(runtime)
  }
}

/** The operator wants it to run: what failed before counts no more. */
export function startedRuntime(
  runtime: Runtime,
  how: Relaunch,
  now: number,
  rules: SupervisorRules = DEFAULT_RULES,
): RuntimeOutcome {
  const wanted: Runtime = { ...runtime, wantsRunning: true, failures: [] }
  const started = afterRuntimeEvent(wanted, 'start_runtime', now, rules.restart)
  return started ? launching(started, how) : unchanged(wanted)
}

/** The operator wants it to end. */
export function stoppedRuntime(
  runtime: Runtime,
  now: number,
  rules: SupervisorRules = DEFAULT_RULES,
): RuntimeOutcome {
  const unwanted: Runtime = { ...runtime, wantsRunning: false }
  const stopping = afterRuntimeEvent(unwanted, 'stop_runtime', now, rules.restart)
  return stopping
    ? { runtime: stopping, act: { kind: 'stop', manner: 'gracefully' } }
    : unchanged(unwanted)
}

/** After a launch: the pane that it got, or none if it is certain that nothing was started. */
export function launchedRuntime(
  runtime: Runtime,
  pane: PaneOfRuntime | undefined,
  now: number,
  rules: SupervisorRules = DEFAULT_RULES,
): Runtime {
  if (pane) return withPane(runtime, pane)
  return afterRuntimeEvent(runtime, 'pane_missing', now, rules.restart) ?? runtime
}

type RuntimeStep = { runtime: Runtime; sight: RuntimeSight; now: number; rules: SupervisorRules }

function whileStarting(step: RuntimeStep): RuntimeOutcome {
  const { runtime, sight, now, rules } = step
  if (sight.pane !== 'here') return moved(step, deathOf(sight.pane), lossCode(sight.pane))
  if (sight.isAgentThere) return moved(step, 'agent_detected')
  const isLate = now - runtime.statusAt >= rules.runtime.startTimeoutMs
  return isLate ? moved(step, 'start_timeout', 'SPAWN_FAILED') : unchanged(runtime)
}

function whileReady(step: RuntimeStep): RuntimeOutcome {
  const { runtime, sight, now, rules } = step
  if (sight.pane === 'exited') return moved(step, 'clean_exit')
  if (sight.pane !== 'here') return moved(step, deathOf(sight.pane), lossCode(sight.pane))
  const { otherSince } = sight
  const isOther = otherSince !== undefined && now - otherSince >= rules.runtime.commandGraceMs
  return isOther ? moved(step, 'wrong_command', 'REGISTRY_DRIFT') : unchanged(runtime)
}

function whileDown(step: RuntimeStep): RuntimeOutcome {
  const { runtime, sight, now, rules } = step
  if (!runtime.wantsRunning) return unchanged(runtime)
  if (sight.pane === 'here') return stillHere(step)
  // Whoever ended tmux did not ask for a new one. It goes on in the next.
  if (!sight.hasServer) return unchanged(runtime)
  const plan = restartPlan(runtime.failures, now, rules.restart)
  if (plan === 'failed') return givenUp(step)
  if (now < plan.atMs) return unchanged(runtime)
  const isResumed =
    plan.restart === 'resume' && sight.isSessionKept && isResumable(runtime, now, rules.restart)
  const event = runtime.status === 'offline' ? 'reconcile_restart' : 'manual_or_auto_recover'
  return launching(moved(step, event).runtime, isResumed ? 'resume' : 'spawn')
}

function launching(runtime: Runtime, how: Relaunch): RuntimeOutcome {
  const starting = withPane(how === 'spawn' ? withoutSession(runtime) : runtime, undefined)
  return { runtime: starting, act: { kind: 'launch', how } }
}

/** For good: else it would begin anew once its failures are forgotten. */
function givenUp(step: RuntimeStep): RuntimeOutcome {
  const { runtime } = moved(step, 'reconcile_failed')
  return { ...unchanged({ ...runtime, wantsRunning: false }), code: 'SPAWN_FAILED' }
}

/** An agent that is alive after all is left alone; anything else makes way for the next. */
function stillHere(step: RuntimeStep): RuntimeOutcome {
  const { runtime, sight } = step
  if (runtime.status !== 'offline') return ending(step)
  return sight.isAgentThere ? moved(step, 'agent_detected') : ending(step)
}

function whileStopping(step: RuntimeStep): RuntimeOutcome {
  return step.sight.pane === 'here' ? ending(step) : moved(step, 'runtime_stopped')
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
