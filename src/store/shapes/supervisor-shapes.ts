import { HEARTBEAT_STATUSES } from '../../core/bridge/heartbeat.ts'
import type { BridgeMessage } from '../../core/bridge/message.ts'
import type { Safeguard, Tally } from '../../core/bridge/safeguard.ts'
import type { Thread } from '../../core/bridge/thread.ts'
import { DISPATCH_STATES, type Dispatch } from '../../core/supervisor/dispatch/dispatch.ts'
import { FAILURE_CODES } from '../../core/supervisor/runtime/failure-code.ts'
import type { PaneOfRuntime, RuntimeFacts } from '../../core/supervisor/runtime/runtime.ts'
import type { RuntimeStatus } from '../../core/supervisor/runtime/runtime-transition.ts'
import type { TriageMemory } from '../../core/supervisor/triage.ts'
import type { Ack } from '../../core/supervisor/trigger/ack.ts'
import type {
  Fallback,
  Force,
  TextPrint,
  TriggerFacts,
  TriggerState,
  Write,
} from '../../core/supervisor/trigger/trigger.ts'
import {
  both,
  count,
  flag,
  list,
  name,
  object,
  oneOf,
  optional,
  type Shape,
  text,
  time,
  variant,
} from './shape.ts'

/** The required shape of the supervisor's and the bridge's records. */

const code = oneOf(FAILURE_CODES)

const pane = object<PaneOfRuntime>({
  socket: name,
  id: name,
  server: count,
  pid: count,
  agentPid: optional(count),
  index: optional(count),
})
const restartBy = optional(text)
const triage = object<TriageMemory>({
  dialog: optional(object({ screen: text, since: time })),
  pressed: optional(object({ at: time, times: count, screen: text, hadEffect: flag })),
})

export const runtimeShape: Shape = both(
  object<RuntimeFacts>({
    runtimeId: name,
    agentId: name,
    workspaceId: name,
    role: name,
    harness: name,
    sessionId: optional(name),
    socket: name,
    cwd: text,
    statusAt: time,
    operatorBusy: flag,
    lastHeartbeatAt: optional(time),
    startedAt: optional(time),
    failures: list(time),
    triage: optional(triage),
    lastFailure: optional(object({ code, why: optional(text) })),
  }),
  variant('status', {
    stopped: object({ restartBy }),
    starting: object({ pane: optional(pane) }),
    ready: object({ pane }),
    offline: object({ pane: optional(pane) }),
    failed: object({ pane: optional(pane) }),
    'given-up': object({ pane: optional(pane) }),
    stopping: object({ pane: optional(pane), restartBy }),
  } satisfies Record<RuntimeStatus, Shape>),
)

const fallback = object<Fallback>({
  code,
  since: time,
  resumes: count,
  spawns: count,
  launchedAt: optional(time),
  stoppedAt: optional(time),
  goneAt: optional(time),
})

const write = object<Write>({
  by: oneOf(['channel', 'paste']),
  claimedAt: time,
  wroteAt: time,
  pastes: count,
  calmAt: optional(time),
  enters: count,
  isUnsure: flag,
  missedAt: optional(time),
})
const notBefore = optional(time)
const deferredAt = optional(time)
const answered = optional(variant('kind', { retried: object({ as: name }), seen: object({}) }))
const attempts = { write: optional(write), fallback: optional(fallback) }
const ack = object<Ack>({ kind: oneOf(['hook', 'transcript', 'cursor', 'heartbeat']), at: time })
const via = oneOf(['channel', 'paste', 'resume', 'spawn'])
const refusal = { code: optional(code) }

export const triggerShape: Shape = both(
  object<TriggerFacts>({
    id: name,
    mark: name,
    runtimeId: name,
    agentId: name,
    threadId: optional(name),
    reason: text,
    text,
    given: optional(object<TextPrint>({ bytes: count, sha256: text })),
    force: optional(object<Force>({ by: text, why: text })),
    createdAt: time,
    isChannelClosed: flag,
    sent: optional(via),
  }),
  variant('state', {
    queued: object({ notBefore, ...refusal }),
    deferred: object({ code, deferredAt }),
    claimed: object({ write, notBefore: time }),
    written: object({ write, deferredAt, notBefore, ...refusal }),
    submitted: object({ write, enteredAt: time, deferredAt, notBefore, ...refusal }),
    fallback: object({ ...attempts, fallback }),
    delivered: object({ ...attempts, ack, via, settledAt: time }),
    failed: object({ ...attempts, code, settledAt: time, answered, screen: optional(text) }),
    cancelled: object({ ...attempts, code: optional(code), settledAt: time, answered }),
  } satisfies Record<TriggerState, Shape>),
)

export const dispatchShape: Shape = object<Dispatch>({
  id: name,
  name,
  workspaceId: name,
  agentId: name,
  runtimeId: name,
  sessionId: optional(name),
  harness: name,
  cwd: text,
  reviewer: optional(name),
  prompt: text,
  by: text,
  state: oneOf(DISPATCH_STATES),
  stateAt: time,
  startedAt: time,
  endedAt: optional(time),
  composerAt: optional(time),
  triggerId: optional(name),
  validatedAt: optional(time),
  idleAt: optional(time),
  blindAt: optional(time),
  why: optional(text),
  escalated: optional(text),
  dialog: optional(object({ screen: text, since: time })),
  pressed: optional(object({ at: time, times: count, screen: text, hadEffect: flag })),
  result: optional(text),
  reviewTriggerId: optional(name),
  review: optional(text),
  screen: optional(object({ at: time, text })),
})

const circle = variant('kind', {
  'no-progress': object({ turns: count }),
  'same-finding': object({ finding: text, times: count }),
})

const tallies = list(object<Tally>({ print: text, times: count }))

export const threadShape: Shape = object<Thread>({
  id: name,
  workspaceId: name,
  title: text,
  participants: list(name),
  state: variant('kind', {
    open: object({}),
    blocked: object({ at: time, circle }),
    closed: object({ at: time, by: text }),
  }),
  safeguard: object<Safeguard>({
    turnsWithoutProgress: count,
    findings: tallies,
    progress: tallies,
  }),
  isOrchestratorsTurnUsed: optional(flag),
  createdAt: time,
  updatedAt: time,
})

export const messageShape: Shape = object<Omit<BridgeMessage, 'seq'>>({
  id: name,
  threadId: name,
  author: variant('kind', {
    agent: object({ agentId: name }),
    operator: object({ name: text }),
    system: object({}),
  }),
  at: time,
  text,
  to: list(name),
  findings: list(text),
  progress: optional(text),
})

export const heartbeatStatus: Shape = oneOf(HEARTBEAT_STATUSES)
