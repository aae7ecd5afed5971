import type { RestartRules } from '../defaults.ts'
import type { FailureCode } from './failure-code.ts'
import { type RuntimeEvent, transition } from './runtime-transition.ts'

/** A managed agent in a pane that we created, as the registry knows it. */
export type Runtime = {
  runtimeId: string
  /** `<workspace>/<role>`: of an agent there is one runtime at most. */
  agentId: string
  workspaceId: string
  role: string
  harness: string
  /** The conversation, by the harness's own id, once it is known. */
  sessionId: string | undefined
  tmuxSession: string
  tmuxWindow: string
  /** The `%id`; undefined while it has no pane. */
  tmuxPane: string | undefined
  socket: string
  serverPid: number | undefined
  panePid: number | undefined
  /** The agent's own process, where it is not the pane's. */
  pid: number | undefined
  pidStart: number | undefined
  cwd: string
  status: RuntimeStatus
  /** Since when it has this status. */
  statusAt: number
  operatorBusy: boolean
  lastHeartbeatAt: number | undefined
  lastTriggerId: string | undefined
  startedAt: number | undefined
  /** When it failed, oldest first; what is out of the window is forgotten. */
  failures: number[]
  /** Whether it is kept running: the operator wants it, and it has not failed for good. */
  wantsRunning: boolean
  /** How it failed the last time. */
  lastFailure: { code: FailureCode; why?: string } | undefined
  /** Who wants it to be started again once it has stopped. */
  restartBy: string | undefined
}

export type RuntimeStatus = (typeof RUNTIME_STATUSES)[number]

export const RUNTIME_STATUSES = [
  'starting',
  'ready',
  'triggering',
  'awaiting_ack',
  'retrying',
  'fallback_resume',
  'spawn_recovery',
  'offline',
  'failed',
  'stopping',
  'stopped',
] as const

/** As it is registered: it does not run until it is started. */
export function newRuntime(told: RegisteredRuntime, now: number): Runtime {
  return {
    ...told,
    agentId: `${told.workspaceId}/${told.role}`,
    tmuxSession: `agents_${told.workspaceId}`,
    tmuxWindow: told.role,
    ...NO_PANE,
    sessionId: undefined,
    status: 'stopped',
    statusAt: now,
    operatorBusy: false,
    lastHeartbeatAt: undefined,
    lastTriggerId: undefined,
    startedAt: undefined,
    failures: [],
    wantsRunning: false,
    lastFailure: undefined,
    restartBy: undefined,
  }
}

/** What has to be said to register a runtime. */
export type RegisteredRuntime = Pick<
  Runtime,
  'runtimeId' | 'workspaceId' | 'role' | 'harness' | 'socket' | 'cwd'
>

/** For people: `agents_mobile_core:reviewer.0`. tmux is given ids only. */
export function targetOf({ tmuxSession, tmuxWindow }: Runtime): string {
  return `${tmuxSession}:${tmuxWindow}.0`
}

/** The same without the pane, whose number depends on `pane-base-index`: a target that tmux takes. */
export function windowOf(target: string): string {
  return target.replace(/\.0$/, '')
}

/** Undefined where the event means nothing in its status. */
export function afterRuntimeEvent(
  runtime: Runtime,
  event: RuntimeEvent,
  now: number,
  rules: RestartRules,
): Runtime | undefined {
  const status = transition(runtime.status, event)
  if (!status) return undefined
  const moved: Runtime = { ...runtime, status, statusAt: now }
  if (status === 'starting') return { ...moved, startedAt: now }
  if (status === 'stopped') return { ...moved, ...NO_PANE, wantsRunning: false }
  return FAILURES.has(event) ? withFailure(moved, now, rules) : moved
}

/** The failure is remembered for as long as it counts. */
export function withFailure(runtime: Runtime, now: number, { windowMs }: RestartRules): Runtime {
  const recent = runtime.failures.filter((at) => now - at < windowMs)
  return { ...runtime, failures: [...recent, now] }
}

/** The pane that it was last given; `withPane(runtime, undefined)` forgets it. */
export function withPane(runtime: Runtime, pane: PaneOfRuntime | undefined): Runtime {
  return { ...runtime, ...NO_PANE, ...pane }
}

/** A new one is begun: what it is called is not known yet, and the old one is not to be gone on with. */
export function withoutSession(runtime: Runtime): Runtime {
  return { ...runtime, sessionId: undefined, lastHeartbeatAt: undefined }
}

/** Which pane a runtime is in: all of it must be the same, or it is another one. */
export type PaneOfRuntime = { tmuxPane: string; serverPid: number; panePid: number }

/** Whether the delivery of a trigger is in charge of it, rather than the reconcile loop. */
export function isDelivering({ status }: Pick<Runtime, 'status'>): boolean {
  return DELIVERING.has(status)
}

const NO_PANE = {
  tmuxPane: undefined,
  serverPid: undefined,
  panePid: undefined,
  pid: undefined,
  pidStart: undefined,
}

const DELIVERING: ReadonlySet<RuntimeStatus> = new Set([
  'triggering',
  'awaiting_ack',
  'retrying',
  'fallback_resume',
  'spawn_recovery',
])

const FAILURES: ReadonlySet<RuntimeEvent> = new Set([
  'start_timeout',
  'pane_dead',
  'pane_missing',
  'wrong_command',
])
