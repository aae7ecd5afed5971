import type { DatabaseSync } from 'node:sqlite'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { AUDIT_KINDS, type AuditKind } from '../../core/audit.ts'
import { PUBLIC_STATUSES, publicStatus } from '../../core/supervisor/trigger/public-status.ts'
import { IN_HAND, isSettled, TRIGGER_STATES } from '../../core/supervisor/trigger/trigger.ts'
import {
  type AuditCount,
  countAudit,
  countForgottenAudit,
  lastAuditSeq,
} from '../../store/tables/audit.ts'
import { listRuntimes } from '../../store/tables/runtimes.ts'
import { deliveredAfter, listTriggers } from '../../store/tables/triggers.ts'

export type SupervisorMetricsParts = { db: DatabaseSync }

/** Counted from the audit, which outlives the daemon. */
type Counted = { name: string; help: string; counts(line: AuditCount): boolean }

const COUNTED: Counted[] = [
  {
    name: 'tmux_trigger_attempt_total',
    help: 'Times that a prompt was to be given to a runtime, by whatever way.',
    counts: ({ kind }) => ATTEMPTS.has(kind),
  },
  {
    name: 'tmux_trigger_delivered_total',
    help: 'Triggers that arrived.',
    counts: ({ kind }) => kind === 'trigger_delivered',
  },
  {
    name: 'tmux_trigger_failed_total',
    help: 'Triggers that ended in failure.',
    counts: ({ kind }) => kind === 'trigger_failed',
  },
  {
    name: 'tmux_trigger_retry_total',
    help: 'Times that a prompt was typed or sent off once more.',
    counts: ({ kind }) => kind === 'trigger_retried',
  },
  {
    name: 'tmux_trigger_timeout_total',
    help: 'Times that no ack came however often it was tried.',
    counts: ({ kind, result }) => TIMED_OUT.has(kind) && result === 'ACK_TIMEOUT',
  },
  {
    name: 'tmux_runtime_restart_total',
    help: 'Runtimes that were started again.',
    counts: ({ kind }) => kind === 'runtime_restarted',
  },
  {
    name: 'tmux_reconcile_drift_total',
    help: 'Times that a pane was not the one that the registry knew.',
    counts: ({ kind }) => kind === 'registry_drift',
  },
]

const DELIVERY_BUCKETS = [0.25, 0.5, 1, 2, 4, 8, 16, 30, 60, 120, 300]

/** Triggers, restarts and drift over all time, and the current state of the runtimes. */
export function addSupervisorMetrics(registry: Registry, { db }: SupervisorMetricsParts): void {
  const registers = [registry]
  let readTo: number | undefined
  const counters = COUNTED.map(({ name, help, counts }) => ({
    counts,
    counter: new Counter({ name, help, registers, collect: catchUp }),
  }))
  const events = new Counter({
    name: 'trailboss_audit_lines_total',
    help: 'Lines of the audit by kind.',
    labelNames: ['kind'] as const,
    registers,
    collect: catchUp,
  })
  for (const kind of AUDIT_KINDS) events.inc({ kind }, 0)
  const took = new Histogram({
    name: 'trailboss_trigger_delivery_seconds',
    help: 'From the creation of a trigger until it was known to have arrived.',
    labelNames: ['via'] as const,
    buckets: DELIVERY_BUCKETS,
    registers,
    collect: catchUp,
  })
  new Gauge({
    name: 'trailboss_runtimes',
    help: 'Registered runtimes by status.',
    labelNames: ['status'] as const,
    registers,
    collect() {
      for (const status of PUBLIC_STATUSES) this.set({ status }, 0)
      const inHand = Map.groupBy(listTriggers(db, { states: IN_HAND }), (one) => one.runtimeId)
      for (const runtime of listRuntimes(db)) {
        const { status } = publicStatus(runtime, inHand.get(runtime.runtimeId) ?? [])
        this.inc({ status })
      }
    },
  })
  new Gauge({
    name: 'trailboss_triggers_open',
    help: 'Triggers that have not ended, by state.',
    labelNames: ['state'] as const,
    registers,
    collect() {
      for (const state of OPEN) this.set({ state }, 0)
      for (const { state } of listTriggers(db, { states: OPEN })) this.inc({ state })
    },
  })

  /** Whichever metric is collected first reads for all of them. */
  function catchUp(): void {
    const last = lastAuditSeq(db)
    if (last === readTo) return
    const forgotten = readTo === undefined ? countForgottenAudit(db) : []
    for (const line of [...forgotten, ...countAudit(db, { after: readTo ?? 0 })]) {
      events.inc({ kind: line.kind }, line.lines)
      for (const { counts, counter } of counters) if (counts(line)) counter.inc(line.lines)
    }
    for (const { via, ms } of deliveredAfter(db, readTo ?? 0)) took.observe({ via }, ms / 1_000)
    readTo = last
  }
}

const ATTEMPTS: ReadonlySet<AuditKind> = new Set([
  'trigger_claimed',
  'fallback_resume_started',
  'fallback_spawn_started',
])

/** What a timeout leads to. */
const TIMED_OUT: ReadonlySet<AuditKind> = new Set([
  'fallback_resume_started',
  'fallback_spawn_started',
  'trigger_failed',
])

const OPEN = TRIGGER_STATES.filter((state) => !isSettled({ state }))
