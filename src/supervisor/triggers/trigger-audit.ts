import type { DatabaseSync } from 'node:sqlite'
import type { AuditKind, AuditLine } from '../../core/audit.ts'
import { codeOf, fallbackIn, type Trigger, writeIn } from '../../core/supervisor/trigger/trigger.ts'
import { listAudit } from '../../store/tables/audit.ts'
import { type AuditEntry, OURSELVES } from '../context/context.ts'

/** The audit lines for a step. A step that only waits has none. */
export function auditOf(from: Trigger, to: Trigger): AuditEntry[] {
  return [...movesOf(from, to), ...fallbacksOf(from, to)].map((entry) => ({
    actor: OURSELVES,
    ...entry,
  }))
}

/** Writes of an earlier run that ended before it could report them. */
export function unreportedWrites(db: DatabaseSync, trigger: Trigger): AuditEntry[] {
  const { id, text } = trigger
  const { lines } = listAudit(db, { triggerId: id }, { limit: 1_000 })
  const count = (isIt: (line: AuditLine) => boolean) => lines.filter(isIt).length
  const isPaste = ({ kind, detail }: AuditLine) =>
    kind === 'trigger_claimed' || (kind === 'trigger_retried' && detail !== 'Enter')
  const { by, enters = 0 } = writeIn(trigger) ?? {}
  const written = by === 'channel' ? 'channel_written' : 'pane_written'
  const isPasteOpen = count(isPaste) > count(({ kind }) => WRITTEN.has(kind))
  // A refused key was not pressed.
  const isKeyOpen =
    enters > count(({ kind, result }) => kind === 'key_pressed' && !isRefusal(result))
  const result = 'unknown: the daemon ended in that moment'
  return [
    ...(isPasteOpen ? [{ kind: written, payload: text } as const] : []),
    ...(isKeyOpen ? [{ kind: 'key_pressed', detail: 'Enter' } as const] : []),
  ].map((entry) => ({ ...entry, actor: OURSELVES, result }))
}

function isRefusal(result: string | undefined): boolean {
  return result?.startsWith('refused') ?? false
}

const WRITTEN: ReadonlySet<AuditKind> = new Set(['pane_written', 'channel_written'])

type Move = Omit<AuditEntry, 'actor'> & { actor?: string }

function movesOf(from: Trigger, to: Trigger): Move[] {
  const moves: Move[] = []
  if (from.state !== 'claimed' && to.state === 'claimed') {
    if (to.force) {
      const { by, why } = to.force
      moves.push({ kind: 'override_forced', actor: by, detail: why, result: 'ok' })
    }
    const isFirst = to.write.pastes === 0
    moves.push({ kind: isFirst ? 'trigger_claimed' : 'trigger_retried', result: 'ok' })
  }
  const [before = 0, after = 0] = [from, to].map((one) => writeIn(one)?.enters)
  if (from.sent === undefined && to.sent !== undefined) {
    moves.push({ kind: 'trigger_sent', detail: to.sent, result: 'ok' })
  }
  if (before > 0 && after > before) {
    moves.push({ kind: 'trigger_retried', detail: 'Enter', result: 'ok' })
  }
  if (from.state !== to.state || codeOf(from) !== codeOf(to)) {
    if (to.state === 'deferred') moves.push({ kind: 'trigger_deferred', ...coded(to) })
    if (from.state !== 'fallback' && to.state === 'fallback') {
      moves.push({ kind: 'trigger_fell_back', ...coded(to) })
    }
    if (to.state === 'failed') moves.push({ kind: 'trigger_failed', ...coded(to) })
    if (to.state === 'cancelled') moves.push({ kind: 'trigger_cancelled', result: 'ok' })
  }
  if (from.state !== 'delivered' && to.state === 'delivered') {
    moves.push({ kind: 'ack_received', detail: to.ack.kind, result: 'ok' })
    moves.push({ kind: 'trigger_delivered', detail: to.via, result: 'ok' })
  }
  return moves
}

function fallbacksOf(from: Trigger, to: Trigger): Move[] {
  const [before, after] = [fallbackIn(from), fallbackIn(to)]
  if (!after) return []
  const moves: Move[] = []
  if (after.resumes > (before?.resumes ?? 0)) {
    moves.push({ kind: 'fallback_resume_started', ...coded(to) })
  }
  if (after.spawns > (before?.spawns ?? 0)) {
    moves.push({ kind: 'fallback_spawn_started', ...coded(to) })
  }
  const isGone = before?.launchedAt !== undefined && after.launchedAt === undefined
  if (isGone && after.code === 'RESUME_FAILED') {
    moves.push({ kind: 'fallback_resume_failed', ...coded(to) })
  }
  if (from.state !== 'delivered' && to.state === 'delivered' && to.via === 'resume') {
    moves.push({ kind: 'fallback_resume_succeeded', result: 'ok' })
  }
  return moves
}

function coded(trigger: Trigger): { result: string } {
  return { result: codeOf(trigger) ?? 'ok' }
}
