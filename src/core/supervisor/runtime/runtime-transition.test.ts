import { expect, test } from 'vitest'
import { RUNTIME_STATUSES, type RuntimeStatus } from './runtime.ts'
import { RUNTIME_EVENTS, type RuntimeEvent, transition } from './runtime-transition.ts'

type Edge = [from: RuntimeStatus, event: RuntimeEvent, to: RuntimeStatus]

/** The state diagram of the specification, arrow by arrow. */
const SPECIFIED: Edge[] = [
  ['stopped', 'start_runtime', 'starting'],
  ['starting', 'agent_detected', 'ready'],
  ['starting', 'start_timeout', 'failed'],
  ['starting', 'pane_dead', 'failed'],

  ['ready', 'trigger_runtime', 'triggering'],
  ['triggering', 'send_keys_ok', 'awaiting_ack'],
  ['triggering', 'send_keys_error', 'failed'],

  ['awaiting_ack', 'ack_received', 'ready'],
  ['awaiting_ack', 'ack_timeout', 'retrying'],
  ['awaiting_ack', 'retries_exhausted', 'fallback_resume'],

  ['retrying', 'resend_ok', 'awaiting_ack'],
  ['retrying', 'resend_error', 'failed'],

  ['fallback_resume', 'resume_ok', 'ready'],
  ['fallback_resume', 'resume_failed', 'spawn_recovery'],

  ['spawn_recovery', 'spawn_new_runtime', 'starting'],
  ['spawn_recovery', 'spawn_failed', 'failed'],

  ['ready', 'pane_missing', 'offline'],
  ['ready', 'pane_dead', 'offline'],
  ['offline', 'reconcile_restart', 'starting'],
  ['offline', 'reconcile_failed', 'failed'],

  ['failed', 'manual_or_auto_recover', 'starting'],
]

/** What the diagram leaves out, and the rest of the specification or the real programs ask for. */
const ADDED: Edge[] = [
  // A pane that is gone before the agent was seen: as if it were dead.
  ['starting', 'pane_missing', 'failed'],
  // The deferred path, and the wrong command past its grace time.
  ['ready', 'defer_timeout', 'fallback_resume'],
  ['ready', 'wrong_command', 'failed'],
  // An agent that ends by itself, as it should, has not failed, and is not started again.
  ['ready', 'clean_exit', 'stopped'],
  // Valid and alive after all.
  ['offline', 'agent_detected', 'ready'],
  // The guard refused: nothing was written.
  ['triggering', 'send_keys_refused', 'ready'],
  ['retrying', 'send_keys_refused', 'awaiting_ack'],
  // A proof can come at any time, also for a claim that was found after a crash.
  ['triggering', 'ack_received', 'ready'],
  ['retrying', 'ack_received', 'ready'],
  ['triggering', 'retries_exhausted', 'fallback_resume'],
  ['retrying', 'retries_exhausted', 'fallback_resume'],
  // The trigger was given up. Whether the process lives, the next look will tell; or it is known to be gone.
  ['triggering', 'trigger_dropped', 'ready'],
  ['awaiting_ack', 'trigger_dropped', 'ready'],
  ['retrying', 'trigger_dropped', 'ready'],
  ['fallback_resume', 'trigger_dropped', 'ready'],
  ['spawn_recovery', 'trigger_dropped', 'ready'],
  ['fallback_resume', 'process_ended', 'offline'],
  ['spawn_recovery', 'process_ended', 'offline'],
  // The operator stops it.
  ['starting', 'stop_runtime', 'stopping'],
  ['ready', 'stop_runtime', 'stopping'],
  ['triggering', 'stop_runtime', 'stopping'],
  ['awaiting_ack', 'stop_runtime', 'stopping'],
  ['retrying', 'stop_runtime', 'stopping'],
  ['fallback_resume', 'stop_runtime', 'stopping'],
  ['spawn_recovery', 'stop_runtime', 'stopping'],
  ['offline', 'stop_runtime', 'stopping'],
  ['failed', 'stop_runtime', 'stopping'],
  ['stopping', 'runtime_stopped', 'stopped'],
]

test.each(SPECIFIED)('as specified: %s, %s: %s', (from, event, to) => {
  expect(transition(from, event)).toBe(to)
})

test.each(ADDED)('added: %s, %s: %s', (from, event, to) => {
  expect(transition(from, event)).toBe(to)
})

const edges = [...SPECIFIED, ...ADDED]

test.each(RUNTIME_STATUSES)('every other event means nothing in %s', (status) => {
  const meant = new Set(edges.filter(([from]) => from === status).map(([, event]) => event))
  const others = RUNTIME_EVENTS.filter((event) => !meant.has(event))
  expect(others.length + meant.size).toBe(RUNTIME_EVENTS.length)
  expect(others.map((event) => [event, transition(status, event)])).toEqual(
    others.map((event) => [event, undefined]),
  )
})

test('every status can be reached, and from every one it can be stopped and started again', () => {
  const reached = (from: RuntimeStatus): Set<RuntimeStatus> => {
    const found = new Set([from])
    for (const status of found) {
      for (const [a, , b] of edges) if (a === status) found.add(b)
    }
    return found
  }
  for (const status of RUNTIME_STATUSES) {
    expect([...reached(status)].toSorted()).toEqual([...RUNTIME_STATUSES].toSorted())
  }
})
