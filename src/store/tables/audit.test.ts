import { readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freshDirectory } from '../../../test/support/store/database-path.ts'
import { AUDIT_KINDS, type AuditLine } from '../../core/audit.ts'
import { openDatabase } from '../database/database.ts'
import {
  type AuditFilter,
  appendAudit,
  countAudit,
  countForgottenAudit,
  forgetAudit,
  lastAuditSeq,
  listAudit,
  type NewAuditLine,
  sha256,
} from './audit.ts'

const place = freshDirectory()
let db: DatabaseSync
beforeEach(() => {
  db = openDatabase(place.path)
})
afterEach(() => db.close())

const append = (given: Partial<NewAuditLine> = {}): AuditLine =>
  appendAudit(db, { at: 100, kind: 'trigger_sent', actor: 'trailboss', ...given })

describe('the audit', () => {
  test('is append-only, whatever SQL is tried', () => {
    append()
    for (const sql of [
      "UPDATE audit SET actor = 'nobody'",
      'DELETE FROM audit',
      "INSERT OR REPLACE INTO audit (seq, at, kind, actor) VALUES (1, 1, 'x', 'nobody')",
      "INSERT INTO audit (seq, at, kind, actor) VALUES (1, 1, 'x', 'nobody') ON CONFLICT DO UPDATE SET actor = 'nobody'",
    ]) {
      expect(() => db.exec(sql), sql).toThrow('The audit is append-only.')
    }
    expect(listAudit(db).lines).toMatchObject([{ seq: 1, actor: 'trailboss' }])
  })

  test('returns what was appended', () => {
    const line: NewAuditLine = {
      at: 100,
      kind: 'override_forced',
      actor: 'operator:ana',
      agentId: 'w/reviewer',
      runtimeId: 'rt_1',
      threadId: 'th_1',
      triggerId: 'trg_1',
      result: 'ok',
      detail: 'It is urgent.',
    }
    expect(append(line)).toEqual({ ...line, seq: 1 })
    expect(listAudit(db).lines).toEqual([{ ...line, seq: 1 }])
    expect(append()).toEqual({ at: 100, kind: 'trigger_sent', actor: 'trailboss', seq: 2 })
  })

  test('keeps only the hash of a payload, and none of its text', () => {
    const text = 'Deploy the märchen to production'
    const { payload } = append({ payload: { text, keepsText: false } })
    expect(payload).toEqual({ sha256: sha256(text), bytes: 33 })
    expect(listAudit(db).lines[0]?.payload).toEqual(payload)
    for (const suffix of ['', '-wal']) {
      expect(readFileSync(place.path + suffix).includes('production')).toBe(false)
    }
  })

  test('keeps the text of a payload on request, without its secrets', () => {
    const text = 'Log in with password=hunter2 first'
    append({ payload: { text, keepsText: true } })
    expect(listAudit(db).lines[0]?.payload).toEqual({
      sha256: sha256(text),
      bytes: 34,
      text: 'Log in with password=[redacted] first',
    })
  })

  test('has no secret in any of its words', () => {
    const key = `ghp_${'a1B2c3'.repeat(6)}`
    const words = {
      actor: key,
      agentId: key,
      threadId: key,
      result: `refused: ${key}`,
      detail: key,
    }
    expect(JSON.stringify(append(words))).not.toContain(key)
    expect(listAudit(db).lines[0]).toMatchObject({
      actor: '[redacted]',
      result: 'refused: [redacted]',
    })
    for (const suffix of ['', '-wal']) {
      expect(readFileSync(place.path + suffix).includes(key)).toBe(false)
    }
  })

  test.each<[string, AuditFilter, number[]]>([
    ['nothing', {}, [4, 3, 2, 1]],
    ['kinds', { kinds: ['ack_received', 'token_issued'] }, [3, 2]],
    ['no kind', { kinds: [] }, []],
    ['an agent', { agentId: 'w/a' }, [3, 1]],
    ['an actor', { actor: 'operator:ana' }, [4]],
    ['a thread', { threadId: 'th_1' }, [2]],
    ['a trigger', { triggerId: 'trg_1' }, [1]],
    ['a runtime', { runtimeId: 'rt_1' }, [3]],
    ['a result', { result: 'ACK_TIMEOUT' }, [4]],
    ['a time', { since: 200, until: 400 }, [3, 2]],
    ['both', { agentId: 'w/a', since: 200 }, [3]],
  ])('can be queried for %s', (_, filter, seqs) => {
    append({ at: 100, agentId: 'w/a', triggerId: 'trg_1' })
    append({ at: 200, kind: 'ack_received', threadId: 'th_1' })
    append({ at: 300, kind: 'token_issued', agentId: 'w/a', runtimeId: 'rt_1' })
    append({ at: 400, actor: 'operator:ana', result: 'ACK_TIMEOUT' })
    expect(listAudit(db, filter).lines.map(({ seq }) => seq)).toEqual(seqs)
  })

  test('is read page by page, without a gap or a duplicate, even while it grows', () => {
    for (let n = 0; n < 10; n++) append()
    const seen: number[] = []
    let before: number | undefined
    do {
      const page = listAudit(db, {}, { before, limit: 5 })
      seen.push(...page.lines.map(({ seq }) => seq))
      before = page.next
      append()
    } while (before !== undefined)
    expect(seen).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  })

  test('is counted by kind and result, starting from a line or a time', () => {
    append()
    append({ result: 'ok' })
    append({ at: 200, result: 'ok' })
    append({ at: 200, kind: 'registry_drift' })
    expect(lastAuditSeq(db)).toBe(4)
    const drift = { kind: 'registry_drift', result: undefined, lines: 1 }
    expect(countAudit(db)).toEqual([
      drift,
      { kind: 'trigger_sent', result: undefined, lines: 1 },
      { kind: 'trigger_sent', result: 'ok', lines: 2 },
    ])
    expect(countAudit(db, { after: 3 })).toEqual([drift])
    expect(countAudit(db, { since: 150 })).toEqual([
      drift,
      { kind: 'trigger_sent', result: 'ok', lines: 1 },
    ])
  })

  test('that is empty has no last line', () => {
    expect(lastAuditSeq(db)).toBe(0)
    expect(countAudit(db)).toEqual([])
    expect(forgetAudit(db, 1_000, 10)).toBe(0)
  })

  test('drops lines that are too old and keeps their totals, and no other line can go', () => {
    append({ at: 100 })
    append({ at: 200, result: 'ok' })
    append({ at: 300 })
    append({ at: 400 })
    expect(forgetAudit(db, 200.5, 10)).toBe(2)
    expect(forgetAudit(db, 300, 10)).toBe(0)
    expect(forgetAudit(db, 301, 10)).toBe(1)
    expect(listAudit(db).lines.map(({ seq }) => seq)).toEqual([4])
    expect(countForgottenAudit(db)).toEqual([
      { kind: 'trigger_sent', result: undefined, lines: 2 },
      { kind: 'trigger_sent', result: 'ok', lines: 1 },
    ])
    expect(() => db.exec('DELETE FROM audit')).toThrow('The audit is append-only.')
  })

  test('drops from its old end, some at once, and never its last line', () => {
    for (const at of [100, 100, 100, 900, 100, 100]) append({ at })
    const seqs = () => listAudit(db).lines.map(({ seq }) => seq)
    expect([forgetAudit(db, 500, 2), seqs()]).toEqual([2, [6, 5, 4, 3]])
    expect([forgetAudit(db, 500, 2), seqs()]).toEqual([1, [6, 5, 4]])
    expect([forgetAudit(db, 500, 2), seqs()]).toEqual([0, [6, 5, 4]])
    expect([forgetAudit(db, 1_000, 10), seqs()]).toEqual([2, [6]])
    expect(forgetAudit(db, 1_000, 10)).toBe(0)
    expect(append().seq).toBe(7)
  })

  test('has the names of the structured events', () => {
    expect(AUDIT_KINDS).toEqual(
      expect.arrayContaining([
        'runtime_registered',
        'trigger_sent',
        'ack_received',
        'fallback_resume_started',
        'fallback_resume_succeeded',
        'runtime_restart_failed',
      ]),
    )
  })
})
