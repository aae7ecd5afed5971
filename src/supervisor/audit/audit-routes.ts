import { Hono } from 'hono'
import * as v from 'valibot'
import { issueText } from '../../config/issue-text.ts'
import type { AuditView } from '../../contract/supervisor.ts'
import { AUDIT_KINDS } from '../../core/audit.ts'
import { TrailBossError } from '../../core/errors.ts'
import { displayLine, truncate } from '../../core/text.ts'
import { type AuditFilter, listAudit } from '../../store/tables/audit.ts'
import { notSupervised } from '../context/not-supervised.ts'
import { type StatsParts, statsOf } from './stats.ts'

const MOST_LINES = 1_000

/** `GET /audit`, of the supervisor and of decisions, and `GET /stats`, which also covers the queue. */
export function auditRoutes(parts: StatsParts): Hono {
  const routes = new Hono()
  routes.get('/audit', (c) => {
    const { filter, page } = asked(c.req.query())
    const { lines, next } = listAudit(parts.db, filter, page)
    // Decisions are audited without a supervisor, too.
    if (lines.length === 0 && !parts.isSupervised) throw notSupervised()
    return c.json({ lines, next: next ?? null } satisfies AuditView)
  })
  routes.get('/stats', (c) => c.json(statsOf(parts)))
  return routes
}

/** Strict, because a misspelled name would silently widen the search. */
function asked(query: Record<string, string>): {
  filter: AuditFilter
  page: { before?: number; limit?: number }
} {
  const parsed = v.safeParse(AuditQuery, query)
  if (!parsed.success) {
    const [issue] = parsed.issues
    throw new TrailBossError(
      'BAD_REQUEST',
      truncate(displayLine(issueText(issue, 'the query')), 280),
    )
  }
  const { kind, agent, runtime, thread, trigger, actor, result, since, until, before, limit } =
    parsed.output
  return {
    filter: told({
      kinds: kind,
      agentId: agent,
      runtimeId: runtime,
      threadId: thread,
      triggerId: trigger,
      actor,
      result,
      since,
      until,
    }),
    page: told({ before, limit }),
  }
}

/** Leaves out undefined values. */
function told<T extends object>(all: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const known = Object.entries(all).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

const name = v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200)))
const whole = v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'a whole number'), v.transform(Number))

const AuditQuery = v.strictObject({
  kind: v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => text.split(',')),
      v.array(v.picklist(AUDIT_KINDS, `one or several of: ${AUDIT_KINDS.join(', ')}`)),
    ),
  ),
  agent: name,
  runtime: name,
  thread: name,
  trigger: name,
  actor: name,
  result: name,
  since: v.optional(whole),
  until: v.optional(whole),
  before: v.optional(whole),
  limit: v.optional(v.pipe(whole, v.minValue(1), v.maxValue(MOST_LINES))),
})
