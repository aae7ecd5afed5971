import type { Pane } from '../../pane.ts'
import type { RestartRules } from '../defaults.ts'
import type { TriageMemory } from '../triage.ts'
import type { FailureCode } from './failure-code.ts'
import { type RuntimeEvent, type RuntimeStatus, transition } from './runtime-transition.ts'

/** A managed agent in a pane that we created, as the registry knows it. */
export type Runtime = RuntimeFacts & Lifecycle

/** What is known of it in every status. */
export type RuntimeFacts = RegisteredRuntime & {
  /** `<workspace>/<role>`. An agent has at most one runtime. */
  agentId: string
  /** The conversation, by the harness's own id, once it is known. */
  sessionId: string | undefined
  operatorBusy: boolean
  lastHeartbeatAt: number | undefined
  startedAt: number | undefined
  /** When it failed, oldest first. Failures outside the window are forgotten. */
  failures: number[]
  /** What triage has seen and pressed there. */
  triage?: TriageMemory | undefined
  /** How it failed the last time. */
  lastFailure: { code: FailureCode; why?: string } | undefined
  /** Since when it has this status. */
  statusAt: number
}

/**
 * - `starting`  it is being launched, and has no pane until tmux has opened one.
 * - `ready`     the agent runs. `offline`: it was lost. `failed`: it never came up, or something else is there.
 * - `given-up`  it failed too often: only the operator can start it again.
 * - `stopping`, `stopped`: it ended by itself, or somebody stopped it. `restartBy` wants it restarted then.
 */
type Lifecycle =
  | { status: 'starting' | 'offline' | 'failed' | 'given-up'; pane: PaneOfRuntime | undefined }
  | { status: 'ready'; pane: PaneOfRuntime }
  | { status: 'stopping'; pane: PaneOfRuntime | undefined; restartBy: string | undefined }
  | { status: 'stopped'; restartBy: string | undefined }

/** The pane of a runtime, and the agent's own process if that is not the pane's. */
export type PaneOfRuntime = Pane & {
  agentPid?: number | undefined
  /** Its number in its window, as tmux counts them; for people. */
  index?: number | undefined
}

/** What is needed to register a runtime. */
export type RegisteredRuntime = {
  runtimeId: string
  workspaceId: string
  role: string
  harness: string
  socket: string
  cwd: string
}

/** A newly registered runtime: it does not run until it is started. */
export function newRuntime(registered: RegisteredRuntime, now: number): Runtime {
  return {
    ...registered,
    agentId: `${registered.workspaceId}/${registered.role}`,
    sessionId: undefined,
    operatorBusy: false,
    lastHeartbeatAt: undefined,
    startedAt: undefined,
    failures: [],
    lastFailure: undefined,
    statusAt: now,
    status: 'stopped',
    restartBy: undefined,
  }
}

/** For people: `agents_mobile_core:reviewer.0`. tmux only gets ids. */
export function targetOf(runtime: Runtime): string {
  const { workspaceId, role } = runtime
  return `agents_${workspaceId}:${role}.${paneIn(runtime)?.index ?? 0}`
}

/** The same without the pane, whose number changes when the operator splits the window. */
export function windowOf(target: string): string {
  return target.replace(/\.\d+$/, '')
}

/** Whether it should be kept running: the operator wants it, and it has not failed for good. */
export function isWanted({ status }: Pick<Runtime, 'status'>): boolean {
  return status !== 'stopping' && !isAtRest({ status })
}

/** Whether nothing of it runs, or is about to. */
export function isAtRest({ status }: Pick<Runtime, 'status'>): boolean {
  return status === 'stopped' || status === 'given-up'
}

/** The last pane it got. */
export function paneIn(runtime: Runtime): PaneOfRuntime | undefined {
  return runtime.status === 'stopped' ? undefined : runtime.pane
}

/** Who asked for a restart while it was being stopped. */
export function restartIn(runtime: Runtime): string | undefined {
  const isStopped = runtime.status === 'stopped' || runtime.status === 'stopping'
  return isStopped ? runtime.restartBy : undefined
}

export function withRestart(runtime: Runtime, restartBy: string | undefined): Runtime {
  const isStopped = runtime.status === 'stopped' || runtime.status === 'stopping'
  return isStopped ? { ...runtime, restartBy } : runtime
}

/** Moves it to another pane. A stopped runtime has none. */
export function withPane(runtime: Runtime, pane: PaneOfRuntime): Runtime {
  return runtime.status === 'stopped' ? runtime : { ...runtime, pane }
}

/** Forgets the session, so that the old one is not continued. The id of the new one is not known yet. */
export function withoutSession(runtime: Runtime): Runtime {
  return { ...runtime, sessionId: undefined, lastHeartbeatAt: undefined }
}

/** Undefined if the event means nothing in its status. */
export function afterRuntimeEvent(
  runtime: Runtime,
  event: RuntimeEvent,
  now: number,
  rules: RestartRules,
): Runtime | undefined {
  const status = transition(runtime.status, event)
  const moved = status && inStatus(runtime, status, now)
  return moved && FAILURES.has(event) ? withFailure(moved, now, rules) : moved
}

function inStatus(runtime: Runtime, to: RuntimeStatus, now: number): Runtime | undefined {
  const { status: from, pane, restartBy, ...known }: AnyLifecycle = runtime
  const moved = { ...known, statusAt: now }
  switch (to) {
    case 'starting':
      return { ...moved, status: to, pane: undefined, startedAt: now }
    case 'ready':
      return pane && { ...moved, status: to, pane }
    case 'offline':
      return { ...moved, status: to, pane }
    case 'failed':
    case 'given-up': {
      // Giving up and trying again do not change since when it is down.
      const isDown = from === 'failed' || from === 'given-up'
      return { ...(isDown ? known : moved), status: to, pane }
    }
    case 'stopping':
      return { ...moved, status: to, pane, restartBy }
    case 'stopped':
      return { ...moved, status: to, restartBy }
    default:
      return to satisfies never
  }
}

type AnyLifecycle = RuntimeFacts & {
  status: RuntimeStatus
  pane?: PaneOfRuntime | undefined
  restartBy?: string | undefined
}

/** Remembers the failure for as long as it counts. */
function withFailure(runtime: Runtime, now: number, { windowMs }: RestartRules): Runtime {
  const recent = runtime.failures.filter((at) => now - at < windowMs)
  return { ...runtime, failures: [...recent, now] }
}

const FAILURES: ReadonlySet<RuntimeEvent> = new Set([
  'start_timeout',
  'pane_dead',
  'pane_missing',
  'wrong_command',
  'process_failed',
  'spawn_failed',
])
