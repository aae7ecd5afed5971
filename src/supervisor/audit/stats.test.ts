import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { runtimeIn } from '../../../test/support/supervisor/runtime-in.ts'
import { triggerIn } from '../../../test/support/supervisor/trigger-in.ts'
import { sessionKey } from '../../core/session/event.ts'
import { newRuntime } from '../../core/supervisor/runtime/runtime.ts'
import type { RuntimeStatus } from '../../core/supervisor/runtime/runtime-transition.ts'
import type { TriggerIn, TriggerState } from '../../core/supervisor/trigger/trigger.ts'
import { appendAudit } from '../../store/tables/audit.ts'
import { saveRuntime } from '../../store/tables/runtimes.ts'
import { insertTrigger } from '../../store/tables/triggers.ts'
import { statsOf } from './stats.ts'

const DAY_MS = 86_400_000

let world: TestHerd
beforeEach(() => {
  world = createTestHerd()
})
afterEach(() => world[Symbol.dispose]())

const stats = (isSupervised = false) =>
  statsOf({ db: world.store.db, herd: world.herd, isSupervised })

let episode = 0
function waited(harness: string, ms: number, endedAt: number, outcome = 'answered'): void {
  episode += 1
  world.store.db
    .prepare('INSERT INTO episodes VALUES (?, ?, ?, ?, ?, ?, ?)')
    .run(episode, `${harness}:s`, harness, 'stopped', endedAt - ms, endedAt, outcome)
}

function runtime(role: string, status: RuntimeStatus): void {
  const told = { runtimeId: `rt_${role}`, workspaceId: 'ranch', role, harness: 'codex' }
  const registered = newRuntime({ ...told, socket: '/tmp/s', cwd: '/' }, Date.now())
  saveRuntime(world.store.db, runtimeIn(status, registered))
}

function trigger<S extends TriggerState>(id: string, state: S, told?: Partial<TriggerIn<S>>): void {
  const facts = { id, mark: id, runtimeId: id, createdAt: Date.now() }
  insertTrigger(world.store.db, triggerIn(state, facts, told))
}

describe('figures', () => {
  test('of a herd that was never stuck are zero, and durations are unknown', () => {
    const none = { today: 0, week: 0, medianMs: null, p90Ms: null, longestMs: null }
    expect(stats()).toMatchObject({
      queue: { ready: 0, cooling: 0, oldestSince: null },
      answers: { ...none, harnesses: [] },
      supervisor: null,
    })
  })

  test('say what is in the queue now, and since when', () => {
    const stop = (session: string, at: number) =>
      world.ingest.event({
        ...{ v: 1, kind: 'stuck', harness: 'x', source: 'api', reason: 'stopped' },
        ...{ session, at, ask: { text: 'Well?' } },
      })
    const at = Date.now() - 500
    stop('old', at)
    stop('new', Date.now())
    world.herd.skip(sessionKey('x', 'new'), { cooldownMs: 60_000 })
    const { queue } = stats()
    expect(queue).toMatchObject({ ready: 1, cooling: 1 })
    expect(Math.abs((queue.oldestSince ?? 0) - at)).toBeLessThan(100)
  })

  test('have the median, the 90th percentile and the longest wait of seven days, by harness', () => {
    const now = Date.now()
    for (const seconds of [1, 2, 3, 4, 5, 6, 7, 8, 9, 100]) waited('codex', seconds * 1_000, now)
    waited('claude-code', 60_000, now - 2 * DAY_MS)
    waited('claude-code', 999_000, now - 8 * DAY_MS)
    const { answers } = stats()
    expect(answers).toMatchObject({ today: 10, week: 11, longestMs: 100_000 })
    expect(answers.harnesses).toEqual([
      { harness: 'codex', today: 10, week: 10, medianMs: 5_000, p90Ms: 9_000, longestMs: 100_000 },
      {
        harness: 'claude-code',
        today: 0,
        week: 1,
        medianMs: 60_000,
        p90Ms: 60_000,
        longestMs: 60_000,
      },
    ])
  })

  test('count what was answered separately from what settled by itself and what ended', () => {
    const now = Date.now()
    waited('codex', 1_000, now)
    waited('codex', 900_000, now, 'settled')
    for (const _ of [1, 2, 3, 4, 5, 6]) waited('codex', 700_000, now, 'ended')
    waited('codex', 800_000, now - 2 * DAY_MS, 'unknown')
    expect(stats()).toMatchObject({
      outcomes: {
        answered: { today: 1, week: 1 },
        settled: { today: 1, week: 1 },
        ended: { today: 6, week: 6 },
        unknown: { today: 0, week: 1 },
      },
      answers: { today: 1, week: 1, medianMs: 1_000, longestMs: 1_000 },
    })
  })

  test('include runtimes and triggers only if there are workspaces', () => {
    const now = Date.now()
    runtime('lead', 'ready')
    runtime('worker', 'starting')
    runtime('reviewer', 'failed')
    runtime('scribe', 'stopped')
    trigger('a', 'delivered', { createdAt: now - 5_000, settledAt: now - 3_000 })
    trigger('b', 'deferred')
    trigger('c', 'submitted')
    trigger('d', 'cancelled')
    for (const [kind, at] of [
      ['trigger_delivered', now],
      ['trigger_delivered', now - 8 * DAY_MS],
      ['trigger_failed', now],
      ['runtime_restarted', now],
      ['registry_drift', now],
    ] as const) {
      appendAudit(world.store.db, { at, kind, actor: 'trailboss' })
    }
    expect(stats().supervisor).toBeNull()
    expect(stats(true).supervisor).toEqual({
      runtimes: { total: 4, running: 2, failed: ['ranch/reviewer'] },
      triggers: { open: 2, delivered: 1, failed: 1, medianMs: 2_000, p90Ms: 2_000 },
      restarts: 1,
      drifts: 1,
    })
  })
})
