import { isResumable, type Relaunch, restartPlan } from '../runtime/restart.ts'
import { beginsAsOurs, isTouchedSince } from './target-observation.ts'
import { mayHaveBeenTaken, type TriggerIn } from './trigger.ts'
import { claimed, isInTheWay, openWay } from './trigger-claim.ts'
import {
  type DeliveryStep,
  failed,
  isEnding,
  isFresh,
  isOperatorBusy,
  type TriggerOutcome,
  waiting,
} from './trigger-outcome.ts'

/**
 * The prompt goes in with the launch of a process. The old process must be gone, since two of them would write
 * into one session, and its records must have been read, since it may have taken the prompt. An agent is never
 * ended while it works, shows a dialog, or has somebody else's text in its composer. If nothing was written yet
 * and the composer is free by now, the prompt is typed instead.
 */
export function fallbackStep(step: FallbackStep): TriggerOutcome {
  const { trigger, observed, now, rules } = step
  const { fallback } = trigger
  const isStopped = observed.status === 'stopped' || observed.status === 'stopping'
  const isLate = now - fallback.since >= rules.delivery.fallbackLimitMs && !isEnding(step)
  if (isStopped || isLate) return failed(step, fallback.code)
  if (observed.pane === 'unseen') return waiting(trigger, now + rules.delivery.recheckMs)
  return observed.pane === 'here' ? whileAlive(step) : onceGone(step)
}

type FallbackStep = DeliveryStep<TriggerIn<'fallback'>>

function whileAlive(step: FallbackStep): TriggerOutcome {
  const { trigger, now, rules } = step
  const { fallback } = trigger
  if (fallback.spawns > 0) return afterSpawn(step)
  if (fallback.launchedAt === undefined) return writingAfterAll(step) ?? stopping(step)
  const until = fallback.launchedAt + rules.delivery.launchAckMs
  // A prompt that did not come out when the session was resumed will not come out next time either.
  if (now >= until && isInChannel(step)) return failed(step, fallback.code)
  if (now >= until) return stopping(step)
  return waiting(trigger, Math.min(now + rules.delivery.recheckMs, until))
}

/** Whoever was in the way is gone, and so is their draft. */
function writingAfterAll(step: FallbackStep): TriggerOutcome | undefined {
  const { trigger } = step
  const { stoppedAt, goneAt } = trigger.fallback
  if (mayHaveBeenTaken(trigger) || stoppedAt !== undefined || goneAt !== undefined) return undefined
  const way = isInTheWay(step) ? undefined : openWay(step)
  return way && claimed(step, way)
}

/** There is no further attempt, and what runs there is not ours to end: it may already be the next process. */
function afterSpawn(step: FallbackStep): TriggerOutcome {
  const { trigger, observed, now, rules } = step
  const { launchedAt, goneAt } = trigger.fallback
  const isLate = now >= (launchedAt ?? goneAt ?? now) + rules.delivery.launchAckMs
  const isAtWork = launchedAt !== undefined && observed.composer.kind === 'none'
  if (!isLate || isAtWork) return waiting(trigger, now + rules.delivery.recheckMs)
  return failed(step, launchedAt === undefined ? 'SPAWN_FAILED' : 'ACK_TIMEOUT')
}

function stopping(step: FallbackStep): TriggerOutcome {
  const { trigger, now, rules } = step
  const { stoppedAt } = trigger.fallback
  const again = now + rules.delivery.recheckMs
  if (isOperatorBusy(step)) return waiting(trigger, again)
  if (stoppedAt === undefined && !mayBeEnded(step)) return waiting(trigger, again)
  const until = (stoppedAt ?? 0) + rules.runtime.stopTimeoutMs
  if (stoppedAt !== undefined && now < until) return waiting(trigger, until)
  return {
    trigger: { ...trigger, fallback: { ...trigger.fallback, stoppedAt: now } },
    act: { kind: 'stop', manner: stoppedAt === undefined ? 'gracefully' : 'at-once' },
  }
}

/** Idle, with nothing in its composer except what we put there. */
function mayBeEnded(step: FallbackStep): boolean {
  const { trigger, observed } = step
  const { composer } = observed
  if (!isFresh(step) || composer.kind === 'none') return false
  if (composer.kind === 'empty' || observed.isLeftover) return true
  if (!trigger.write || isTouchedSince(observed, trigger.write.claimedAt)) return false
  return beginsAsOurs(composer.text, trigger)
}

function onceGone(step: FallbackStep): TriggerOutcome {
  const { trigger, observed, now, rules } = step
  const { fallback } = trigger
  if (fallback.goneAt === undefined) return seenGone(step)
  if (mayHaveBeenTaken(trigger)) {
    if (observed.records === 'unreadable') return failed(step, fallback.code)
    if (observed.records === 'unread') return waiting(trigger, now + rules.delivery.recheckMs)
  }
  if (fallback.spawns > 0) return failed(step, 'SPAWN_FAILED')
  const plan = restartPlan(observed.failures, now, rules.restart)
  if (plan === 'failed') return failed(step, fallback.code)
  if (now < plan.atMs) return waiting(trigger, plan.atMs)
  const hasTries = fallback.resumes < rules.delivery.resumeAttempts
  const mayResume =
    plan.restart === 'resume' && hasTries && isResumable(observed, now, rules.restart)
  if (isInChannel(step) && !mayResume) return failed(step, fallback.code)
  return launching(step, mayResume ? 'resume' : 'spawn')
}

/**
 * The process has failed, unless we ended it, or it exited cleanly before it had a prompt from us. A new session
 * belongs to the reconcile loop from its start, which also counts its failure.
 */
function seenGone({ trigger, observed, now }: FallbackStep): TriggerOutcome {
  const { fallback } = trigger
  const { launchedAt, stoppedAt, spawns } = fallback
  const failure = spawns > 0 ? 'SPAWN_FAILED' : 'RESUME_FAILED'
  const code = launchedAt === undefined ? fallback.code : failure
  const isClean = observed.pane === 'exited' && launchedAt === undefined
  const hasFailed = stoppedAt === undefined && !isClean && spawns === 0
  return {
    trigger: { ...trigger, fallback: { ...fallback, code, launchedAt: undefined, goneAt: now } },
    act: { kind: 'wait', until: now },
    event: hasFailed ? 'process_failed' : undefined,
  }
}

function launching(step: FallbackStep, how: Relaunch): TriggerOutcome {
  const { trigger, now } = step
  const fallback = {
    ...trigger.fallback,
    resumes: trigger.fallback.resumes + (how === 'resume' ? 1 : 0),
    spawns: trigger.fallback.spawns + (how === 'spawn' ? 1 : 0),
    launchedAt: now,
    stoppedAt: undefined,
    goneAt: undefined,
  }
  return {
    trigger: { ...trigger, fallback },
    act: { kind: 'fallback', how, prompt: isInChannel(step) ? undefined : trigger.text },
    event: how === 'spawn' ? 'spawn_new_runtime' : undefined,
  }
}

function isInChannel({ trigger }: FallbackStep): boolean {
  return trigger.write?.by === 'channel'
}
