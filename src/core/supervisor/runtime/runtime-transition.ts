import type { RuntimeStatus } from './runtime.ts'

/** What can happen to a runtime. The names are those of the specification's state diagram. */
export type RuntimeEvent = (typeof RUNTIME_EVENTS)[number]

export const RUNTIME_EVENTS = [
  'start_runtime',
  'agent_detected',
  'start_timeout',
  'pane_dead',
  'pane_missing',
  'clean_exit',
  'wrong_command',
  'trigger_runtime',
  'send_keys_ok',
  'send_keys_error',
  'send_keys_refused',
  'ack_received',
  'ack_timeout',
  'retries_exhausted',
  'defer_timeout',
  'resend_ok',
  'resend_error',
  'resume_ok',
  'resume_failed',
  'spawn_new_runtime',
  'spawn_failed',
  'trigger_dropped',
  'process_ended',
  'reconcile_restart',
  'reconcile_failed',
  'manual_or_auto_recover',
  'stop_runtime',
  'runtime_stopped',
] as const

/**
 * The status after an event, or undefined where the event means nothing in that status.
 *
 * Whoever has the status may launch and end the process, and nobody else: from `triggering` to
 * `spawn_recovery` that is the trigger that is being delivered, otherwise the reconcile loop. A pane that
 * dies under a delivery is therefore no event: the delivery finds out, and ends in a fallback.
 */
export function transition(status: RuntimeStatus, event: RuntimeEvent): RuntimeStatus | undefined {
  if (event === 'stop_runtime') return stopOf(status)
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
  },
  ready: {
    trigger_runtime: 'triggering',
    pane_dead: 'offline',
    pane_missing: 'offline',
    clean_exit: 'stopped',
    wrong_command: 'failed',
    defer_timeout: 'fallback_resume',
  },
  triggering: {
    send_keys_ok: 'awaiting_ack',
    send_keys_error: 'failed',
    send_keys_refused: 'ready',
    ack_received: 'ready',
    retries_exhausted: 'fallback_resume',
    trigger_dropped: 'ready',
  },
  awaiting_ack: {
    ack_received: 'ready',
    ack_timeout: 'retrying',
    retries_exhausted: 'fallback_resume',
    trigger_dropped: 'ready',
  },
  retrying: {
    resend_ok: 'awaiting_ack',
    resend_error: 'failed',
    send_keys_refused: 'awaiting_ack',
    ack_received: 'ready',
    retries_exhausted: 'fallback_resume',
    trigger_dropped: 'ready',
  },
  fallback_resume: {
    resume_ok: 'ready',
    resume_failed: 'spawn_recovery',
    trigger_dropped: 'ready',
    process_ended: 'offline',
  },
  spawn_recovery: {
    spawn_new_runtime: 'starting',
    spawn_failed: 'failed',
    trigger_dropped: 'ready',
    process_ended: 'offline',
  },
  offline: {
    reconcile_restart: 'starting',
    reconcile_failed: 'failed',
    agent_detected: 'ready',
  },
  failed: { manual_or_auto_recover: 'starting' },
  stopping: { runtime_stopped: 'stopped' },
}

/** Anything can be stopped but what is already, or is about to be. */
function stopOf(status: RuntimeStatus): RuntimeStatus | undefined {
  return status === 'stopped' || status === 'stopping' ? undefined : 'stopping'
}
