export type RuntimeStatus = (typeof RUNTIME_STATUSES)[number]

export const RUNTIME_STATUSES = [
  'stopped',
  'starting',
  'ready',
  'offline',
  'failed',
  'given-up',
  'stopping',
] as const

/** What can happen to a runtime. */
export type RuntimeEvent = (typeof RUNTIME_EVENTS)[number]

export const RUNTIME_EVENTS = [
  'start_runtime',
  'agent_detected',
  'start_timeout',
  'pane_dead',
  'pane_missing',
  'clean_exit',
  'wrong_command',
  'process_failed',
  'process_ended',
  'spawn_new_runtime',
  'spawn_failed',
  'reconcile_restart',
  'reconcile_failed',
  'manual_or_auto_recover',
  'stop_runtime',
  'runtime_stopped',
] as const

/**
 * The status after an event, or undefined if the event means nothing in that status.
 *
 * While a trigger is delivered to a `ready` runtime, the delivery may launch and end its process, and the
 * reconcile loop leaves it alone: `process_failed`, `process_ended` and `spawn_new_runtime` come from the
 * delivery.
 */
export function transition(status: RuntimeStatus, event: RuntimeEvent): RuntimeStatus | undefined {
  return EDGES[status][event]
}

type Edges = Partial<Record<RuntimeEvent, RuntimeStatus>>

const EDGES: Record<RuntimeStatus, Edges> = {
  stopped: { start_runtime: 'starting' },
  starting: {
    agent_detected: 'ready',
    start_timeout: 'failed',
    pane_dead: 'failed',
    pane_missing: 'failed',
    spawn_failed: 'failed',
    stop_runtime: 'stopping',
  },
  ready: {
    pane_dead: 'offline',
    pane_missing: 'offline',
    clean_exit: 'stopped',
    wrong_command: 'failed',
    process_failed: 'ready',
    process_ended: 'offline',
    spawn_new_runtime: 'starting',
    stop_runtime: 'stopping',
  },
  offline: {
    agent_detected: 'ready',
    reconcile_restart: 'starting',
    reconcile_failed: 'given-up',
    stop_runtime: 'stopping',
  },
  failed: {
    manual_or_auto_recover: 'starting',
    reconcile_failed: 'given-up',
    stop_runtime: 'stopping',
  },
  'given-up': { start_runtime: 'failed', stop_runtime: 'stopping' },
  stopping: { runtime_stopped: 'stopped' },
}
