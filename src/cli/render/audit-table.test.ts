import { expect, test } from 'vitest'
import type { AuditLine } from '../../core/audit.ts'
import { auditTable } from './audit-table.ts'

const at = new Date(2026, 0, 1, 12, 0, 5).getTime()
const now = at + 60_000
const tomorrow = at + 86_400_000
const about = { agentId: 'ranch/reviewer', triggerId: 'trg_1' }
const lines: AuditLine[] = [
  {
    seq: 1,
    at,
    kind: 'trigger_queued',
    actor: 'operator:ana',
    ...about,
    result: 'ok',
    detail: 'review',
  },
  {
    ...{ seq: 2, at: at + 2_000, kind: 'pane_written', actor: 'trailboss', ...about, result: 'ok' },
    payload: { sha256: 'ab'.repeat(32), bytes: 118 },
  },
  {
    seq: 3,
    at: at + 9_000,
    kind: 'trigger_failed',
    actor: 'trailboss',
    ...about,
    result: 'ACK_TIMEOUT',
  },
  { seq: 4, at: at + 9_500, kind: 'token_refused', actor: 'trailboss', result: 'UNAUTHORIZED' },
]

test('at 80 columns the actor shows only if it was not us, and the day only if it is not today', () => {
  expect(`\n${auditTable(lines, { now: tomorrow, width: 80 })}\n`).toMatchInlineSnapshot(`
    "
    TIME            WHAT            AGENT           DETAIL
    01-01 12:00:05  trigger queued  ranch/reviewer  by operator:ana · review · trg_1
    01-01 12:00:07  pane written    ranch/reviewer  118 bytes · trg_1
    01-01 12:00:14  trigger failed  ranch/reviewer  ACK_TIMEOUT · trg_1
    01-01 12:00:14  token refused   -               UNAUTHORIZED
    "
  `)
})

test('at 120 columns the actor has its own column', () => {
  expect(`\n${auditTable(lines, { now, width: 120 })}\n`).toMatchInlineSnapshot(`
    "
    TIME      WHAT            AGENT           BY            DETAIL
    12:00:05  trigger queued  ranch/reviewer  operator:ana  review · trg_1
    12:00:07  pane written    ranch/reviewer  trailboss     118 bytes · trg_1
    12:00:14  trigger failed  ranch/reviewer  trailboss     ACK_TIMEOUT · trg_1
    12:00:14  token refused   -               trailboss     UNAUTHORIZED
    "
  `)
})

test('at 60 columns details are cut, and no line is left out', () => {
  expect(`\n${auditTable(lines, { now, width: 60 })}\n`).toMatchInlineSnapshot(`
    "
    TIME      WHAT            AGENT           DETAIL
    12:00:05  trigger queued  ranch/reviewer  by operator:ana ·…
    12:00:07  pane written    ranch/reviewer  118 bytes · trg_1
    12:00:14  trigger failed  ranch/reviewer  ACK_TIMEOUT · trg…
    12:00:14  token refused   -               UNAUTHORIZED
    "
  `)
})

test('later lines have no header of their own', () => {
  expect(auditTable(lines.slice(0, 1), { now, width: 80 }, { header: false })).not.toContain('WHAT')
})

test('failures are painted as such', () => {
  const paint = (tone: string, cell: string) => `<${tone}:${cell}>`
  const text = auditTable(lines, { now, width: 120, paint })
  expect(text).toContain('<bad:trigger failed>')
  expect(text).toContain('<bad:token refused>')
  expect(text).not.toContain('<bad:pane written>')
})

test('stored text is shown without what controls a terminal', () => {
  const payload = { sha256: 'x', bytes: 3, text: 'go\u001b[2J on\nnow' }
  const kept: AuditLine = { seq: 1, at, kind: 'pane_written', actor: 'trailboss', payload }
  expect(auditTable([kept], { now, width: 80 })).toMatch(/go on now$/)
})
