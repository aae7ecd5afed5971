import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { runtimeIn } from '../../../test/support/supervisor/runtime-in.ts'
import { triggerIn } from '../../../test/support/supervisor/trigger-in.ts'
import { newRuntime } from '../../core/supervisor/runtime/runtime.ts'
import type { TriggerIn, TriggerState } from '../../core/supervisor/trigger/trigger.ts'
import { addAnswerTimes } from '../../daemon/metrics/answer-times.ts'
import { createMetrics } from '../../daemon/metrics/metrics.ts'
import { appendAudit, forgetAudit, type NewAuditLine } from '../../store/tables/audit.ts'
import { readEpisodeStats } from '../../store/tables/episodes.ts'
import { saveRuntime } from '../../store/tables/runtimes.ts'
import { insertTrigger } from '../../store/tables/triggers.ts'
import { addSupervisorMetrics } from './supervisor-metrics.ts'

let world: TestHerd
beforeEach(() => {
  world = createTestHerd()
})
afterEach(() => world[Symbol.dispose]())

const append = (kind: NewAuditLine['kind'], told: Partial<NewAuditLine> = {}) =>
  appendAudit(world.store.db, { at: 1, kind, actor: 'trailboss', ...told })

function trigger<S extends TriggerState>(id: string, state: S, told?: Partial<TriggerIn<S>>): void {
  const facts = { id, mark: id, runtimeId: id, createdAt: 1_000 }
  insertTrigger(world.store.db, triggerIn(state, facts, told))
}

function supervisorMetrics(): () => Promise<string> {
  const registry = new Registry()
  addSupervisorMetrics(registry, { db: world.store.db })
  return () => registry.metrics()
}

test('the names of the specification exist from the start, at zero', async () => {
  const text = await supervisorMetrics()()
  for (const name of [
    'tmux_trigger_attempt_total',
    'tmux_trigger_delivered_total',
    'tmux_trigger_retry_total',
    'tmux_trigger_timeout_total',
    'tmux_runtime_restart_total',
    'tmux_reconcile_drift_total',
  ]) {
    expect(text).toContain(`\n${name} 0\n`)
  }
})

test('they count what is in the audit, keep up with it, and are the same after a restart', async () => {
  const metrics = supervisorMetrics()
  append('trigger_claimed')
  append('trigger_claimed')
  append('trigger_retried')
  append('fallback_resume_started', { result: 'ACK_TIMEOUT' })
  append('fallback_resume_started', { result: 'PANE_DEAD' })
  append('trigger_failed', { result: 'ACK_TIMEOUT' })
  expect(await metrics()).toContain('tmux_trigger_attempt_total 4\n')
  append('trigger_claimed')
  append('runtime_restarted')
  append('registry_drift')
  append('trigger_delivered')
  append('trigger_delivered')
  const text = await metrics()
  for (const line of [
    'tmux_trigger_attempt_total 5',
    'tmux_trigger_delivered_total 2',
    'tmux_trigger_retry_total 1',
    'tmux_trigger_timeout_total 2',
    'tmux_trigger_failed_total 1',
    'tmux_runtime_restart_total 1',
    'tmux_reconcile_drift_total 1',
    'trailboss_audit_lines_total{kind="trigger_claimed"} 3',
  ]) {
    expect(text).toContain(`${line}\n`)
  }
  expect(await metrics()).toBe(text)
  expect(await supervisorMetrics()()).toBe(text)
  forgetAudit(world.store.db, 2, 5)
  expect(await metrics()).toBe(text)
  expect(await supervisorMetrics()()).toBe(text)
})

test('delivery time is a histogram by way of delivery', async () => {
  const metrics = supervisorMetrics()
  trigger('a', 'delivered', { via: 'paste', settledAt: 2_500 })
  append('trigger_delivered', { triggerId: 'a' })
  await metrics()
  trigger('b', 'delivered', { via: 'resume', settledAt: 21_000 })
  append('trigger_delivered', { triggerId: 'b' })
  const text = await metrics()
  expect(text).toContain('trailboss_trigger_delivery_seconds_bucket{le="1",via="paste"} 0\n')
  expect(text).toContain('trailboss_trigger_delivery_seconds_bucket{le="2",via="paste"} 1\n')
  expect(text).toContain('trailboss_trigger_delivery_seconds_sum{via="paste"} 1.5\n')
  expect(text).toContain('trailboss_trigger_delivery_seconds_sum{via="resume"} 20\n')
})

test('runtimes and open triggers show the current state', async () => {
  const metrics = supervisorMetrics()
  const told = { runtimeId: 'rt_1', workspaceId: 'ranch', role: 'lead', harness: 'codex' }
  const runtime = newRuntime({ ...told, socket: '/tmp/s', cwd: '/' }, 1)
  saveRuntime(world.store.db, runtimeIn('ready', runtime))
  trigger('a', 'deferred')
  expect(await metrics()).toContain('trailboss_runtimes{status="ready"} 1\n')
  expect(await metrics()).toContain('trailboss_triggers_open{state="deferred"} 1\n')
  saveRuntime(world.store.db, runtimeIn('failed', runtime))
  const text = await metrics()
  expect(text).toContain('trailboss_runtimes{status="ready"} 0\n')
  expect(text).toContain('trailboss_runtimes{status="failed"} 1\n')
})

test('time to answer is a histogram of everything that ended, before and after the first request for it', async () => {
  const { db } = world.store
  const metrics = createMetrics(
    world.herd,
    () => readEpisodeStats(db),
    () => 0,
    (registry) => addAnswerTimes(registry, { db, herd: world.herd }),
  )
  // A claim counts only if it is newer than the one before.
  let at = Date.now() - 100
  const tell = async (kind: 'stuck' | 'unstuck', session: string) =>
    world.ingest.event({
      ...{ v: 1, kind, harness: 'x', source: 'api', session, at: ++at },
      ...(kind === 'stuck' && { reason: 'stopped', ask: { text: 'Well?' } }),
    })
  await tell('stuck', 's1')
  await tell('unstuck', 's1')
  const count = 'trailboss_answer_seconds_count{harness="x",reason="stopped"}'
  expect(await metrics()).toContain(`${count} 1\n`)
  await tell('stuck', 's2')
  expect(await metrics()).toContain(`${count} 1\n`)
  await tell('unstuck', 's2')
  const text = await metrics()
  expect(text).toContain(`${count} 2\n`)
  expect(text).toMatch(/trailboss_answer_seconds_bucket\{le="1",harness="x",reason="stopped"\} 2\n/)
})
