import type { TargetObservation } from '../../../src/core/supervisor/trigger/target-observation.ts'
import {
  type Delivery,
  type Fallback,
  movedTo,
  type TriggerFacts,
  type TriggerIn,
  type TriggerState,
  type Write,
} from '../../../src/core/supervisor/trigger/trigger.ts'

const named = { id: 'trg_1', mark: 'k3f9x2m7q1', runtimeId: 'rt_1', agentId: 'w/reviewer' }
const words = { threadId: undefined, reason: 'r', text: 'Go on.', force: undefined }
const FACTS: TriggerFacts = { ...named, ...words, createdAt: 20, isChannelClosed: false }

const now = 60
const times = { launchedAt: undefined, stoppedAt: undefined, goneAt: undefined }
const fallback = { code: 'ACK_TIMEOUT', since: 50, resumes: 0, spawns: 0, ...times } as const
const entered = { claimedAt: 30, wroteAt: 40, pastes: 1, calmAt: undefined, enters: 1 }
const write = { by: 'paste', ...entered, isUnsure: false } as const
const unwritten = { wroteAt: 30, pastes: 0, enters: 0 }
const waiting = { deferredAt: undefined, notBefore: undefined }
const tried = { write, fallback: undefined, settledAt: now }
const unsuccessful = { ...tried, code: 'ACK_TIMEOUT', answered: undefined } as const

const DELIVERIES: { [S in TriggerState]: Extract<Delivery, { state: S }> } = {
  queued: { state: 'queued', notBefore: undefined },
  deferred: { state: 'deferred', code: 'OPERATOR_BUSY', deferredAt: 20 },
  claimed: { state: 'claimed', write: { ...write, ...unwritten }, notBefore: now },
  written: { state: 'written', write: { ...write, enters: 0 }, ...waiting },
  submitted: { state: 'submitted', write, enteredAt: 45, ...waiting },
  fallback: { state: 'fallback', write, fallback },
  delivered: { state: 'delivered', ...tried, ack: { kind: 'hook', at: now }, via: 'paste' },
  failed: { state: 'failed', ...unsuccessful },
  cancelled: { state: 'cancelled', ...unsuccessful, write: undefined, code: undefined },
}

export type Changes<S extends TriggerState> = Partial<Omit<TriggerIn<S>, 'write' | 'fallback'>> & {
  write?: Partial<Write> | undefined
  fallback?: Partial<Fallback> | undefined
}

/** A trigger in any state, as after a paste that was entered once; `changes` override that. */
export function triggerIn<S extends TriggerState>(
  state: S,
  trigger: Partial<TriggerFacts> = {},
  changes: Changes<S> = {},
): TriggerIn<S> {
  const delivery = {
    ...DELIVERIES[state],
    ...changes,
    ...(changes.write && { write: { ...write, ...changes.write } }),
    ...(changes.fallback && { fallback: { ...fallback, ...changes.fallback } }),
  } as Delivery
  return movedTo({ ...FACTS, ...trigger, ...changes }, delivery) as TriggerIn<S>
}

/** A target that is ready, idle and empty, unless `changes` override that. */
export function targetObserved(
  now: number,
  changes: Partial<TargetObservation>,
): TargetObservation {
  return {
    ...{ status: 'ready', startedAt: 0, sessionId: 's', lastHeartbeatAt: now, failures: [] },
    ...{ pane: 'here', composer: { kind: 'empty' }, lookedAt: now, isLeftover: false },
    ...{
      channel: 'none',
      inChannel: 'unknown',
      acks: [],
      records: 'read',
      operatorActiveAt: undefined,
    },
    ...{ rateLimitedUntil: undefined, isThreadBlocked: false },
    ...changes,
  }
}
