import { expect, test } from 'vitest'
import {
  RUNTIME_EVENTS,
  RUNTIME_STATUSES,
  type RuntimeEvent,
  type RuntimeStatus,
  transition,
} from './runtime-transition.ts'

type Edge = [from: RuntimeStatus, event: RuntimeEvent, to: RuntimeStatus]

/** The state diagram of the specification, arrow by arrow, except those of a delivery. */
const SPECIFIED: Edge[] = [
  ['stopped', 'start_runtime', 'starting'],
  ['starting', 'agent_detected', 'ready'],
  ['starting', 'start_timeout', 'failed'],
  ['starting', 'pane_dead', 'failed'],

  ['ready', 'spawn_new_runtime', 'starting'],
  ['starting', 'spawn_failed', 'failed'],

  ['ready', 'pane_missing', 'offline'],
  ['ready', 'pane_dead', 'offline'],
  ['offline', 'reconcile_restart', 'starting'],
  ['offline', 'reconcile_failed', 'given-up'],

  ['failed', 'manual_or_auto_recover', 'starting'],
]

/** What the diagram leaves out, but the rest of the specification or the real programs require. */
const ADDED: Edge[] = [
  // A pane that disappears before the agent was seen counts as dead.
  ['starting', 'pane_missing', 'failed'],
  // The wrong command after its grace time.
  ['ready', 'wrong_command', 'failed'],
  // An agent that exits cleanly by itself has not failed, and is not restarted.
  ['ready', 'clean_exit', 'stopped'],
  // Valid and alive after all.
  ['offline', 'agent_detected', 'ready'],
  // During a delivery, which starts the next process itself.
  ['ready', 'process_failed', 'ready'],
  // The delivery is over, and the process is known to be gone.
  ['ready', 'process_ended', 'offline'],
  // The budget is spent; the operator starts over.
  ['failed', 'reconcile_failed', 'given-up'],
  ['given-up', 'start_runtime', 'failed'],
  // The operator stops it.
  ['starting', 'stop_runtime', 'stopping'],
  ['ready', 'stop_runtime', 'stopping'],
  ['offline', 'stop_runtime', 'stopping'],
  ['failed', 'stop_runtime', 'stopping'],
  ['given-up', 'stop_runtime', 'stopping'],
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

test('every status can be reached, and every one can be stopped and started again', () => {
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
