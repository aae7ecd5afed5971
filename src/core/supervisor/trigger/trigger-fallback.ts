import { isResumable, type Relaunch, restartPlan } from '../runtime/restart.ts'
import { beginsAsOurs, isTouchedSince } from './target-observation.ts'
import { type Fallback, mayHaveBeenTaken, type Trigger } from './trigger.ts'
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
 * The prompt goes in with the launch of a process: the old one has to be gone, since two of them would
 * write into one session, and what it left behind has to have been read, since it may have taken the prompt.
 * Nobody is ended who works, who shows a dialog, or in whose composer somebody else's words stand.
 */
export function fallbackStep(step: DeliveryStep): TriggerOutcome {
  const { trigger, observed, now, rules } = step
  const { fallback } = trigger
  if (!fallback) return failed(step, trigger.code ?? 'ACK_TIMEOUT')
  const isStopped = observed.status === 'stopped' || observed.status === 'stopping'
  const isLate = now - fallback.since >= rules.delivery.fallbackLimitMs && !isEnding(step)
  if (isStopped || isLate) return failed(step, fallback.code)
  switch (observed.pane) {
    case 'unseen':
      return waiting(trigger, now + rules.delivery.recheckMs)
    case 'here':
      return whileAlive(step, fallback)
    case 'exited':
    case 'dead':
    case 'missing':
    case 'other':
      return onceGone(step, fallback)
    default:
      return observed.pane satisfies never
  }
}

function whileAlive(step: DeliveryStep, fallback: Fallback): TriggerOutcome {
  const { trigger, now, rules } = step
  if (fallback.spawns > 0) return afterSpawn(step, fallback)
  if (fallback.launchedAt === undefined) return stopping(step, fallback)
  const until = fallback.launchedAt + rules.delivery.launchAckMs
  // What did not come out when the session went on will not when it goes on once more.
  if (now >= until && trigger.isInChannel) return failed(step, fallback.code)
  if (now >= until) return stopping(step, fallback)
  return waiting(trigger, Math.min(now + rules.delivery.recheckMs, until))
}

/** There is no further try, and what runs there is not ours to end: it may be the next one already. */
function afterSpawn(step: DeliveryStep, { launchedAt, goneAt }: Fallback): TriggerOutcome {
  const { trigger, observed, now, rules } = step
  const isLate = now >= (launchedAt ?? goneAt ?? now) + rules.delivery.launchAckMs
  const isAtWork = launchedAt !== undefined && observed.composer.kind === 'none'
  if (!isLate || isAtWork) return waiting(trigger, now + rules.delivery.recheckMs)
  return failed(step, launchedAt === undefined ? 'SPAWN_FAILED' : 'ACK_TIMEOUT')
}

function stopping(step: DeliveryStep, fallback: Fallback): TriggerOutcome {
  const { trigger, now, rules } = step
  const { stoppedAt } = fallback
  const again = now + rules.delivery.recheckMs
  if (isOperatorBusy(step)) return waiting(trigger, again)
  if (stoppedAt === undefined && !mayBeEnded(step)) return waiting(trigger, again)
  const until = (stoppedAt ?? 0) + rules.runtime.stopTimeoutMs
  if (stoppedAt !== undefined && now < until) return waiting(trigger, until)
  return {
    trigger: { ...trigger, fallback: { ...fallback, stoppedAt: now } },
    act: { kind: 'stop', manner: stoppedAt === undefined ? 'gracefully' : 'at-once' },
  }
}

/** Idle, with nothing in its composer but what we put there. */
function mayBeEnded(step: DeliveryStep): boolean {
  const { trigger, observed } = step
  const { composer } = observed
  if (!isFresh(step) || composer.kind === 'none') return false
  if (composer.kind === 'empty' || observed.isLeftover) return true
  if (trigger.claimedAt === undefined || isTouchedSince(observed, trigger.claimedAt)) return false
  return beginsAsOurs(composer.text, trigger)
}

function onceGone(step: DeliveryStep, fallback: Fallback): TriggerOutcome {
  const { trigger, observed, now, rules } = step
  if (fallback.goneAt === undefined) return seenGone(step, fallback)
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
  if (trigger.isInChannel && !mayResume) return failed(step, fallback.code)
  return launching(step, fallback, mayResume ? 'resume' : 'spawn')
}

/**
 * Unless it was ended by us, or ended as it should before it had a prompt from us, it has failed. A new
 * session is the reconcile loop's from its start, and its failure counted there.
 */
function seenGone({ trigger, observed, now }: DeliveryStep, fallback: Fallback): TriggerOutcome {
  const { launchedAt, stoppedAt, spawns } = fallback
  const code = launchedAt === undefined ? fallback.code : 'RESUME_FAILED'
  const isClean = observed.pane === 'exited' && launchedAt === undefined
  const hasFailed = stoppedAt === undefined && !isClean && spawns === 0
  return {
    trigger: {
      ...trigger,
      code,
      fallback: { ...fallback, code, launchedAt: undefined, goneAt: now },
    },
    act: { kind: 'wait', until: now },
    event: hasFailed ? 'process_failed' : undefined,
  }
}

function launching(step: DeliveryStep, fallback: Fallback, how: Relaunch): TriggerOutcome {
  const { trigger, now } = step
  const next: Trigger = {
    ...trigger,
    via: how,
    fallback: {
      ...fallback,
      resumes: fallback.resumes + (how === 'resume' ? 1 : 0),
      spawns: fallback.spawns + (how === 'spawn' ? 1 : 0),
      launchedAt: now,
      stoppedAt: undefined,
      goneAt: undefined,
    },
  }
  return {
    trigger: next,
    act: { kind: 'fallback', how, prompt: trigger.isInChannel ? undefined : trigger.text },
    event: how === 'spawn' ? 'spawn_new_runtime' : undefined,
  }
}
