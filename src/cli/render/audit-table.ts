import type { AuditKind, AuditLine } from '../../core/audit.ts'
import { displayLine } from '../../core/text.ts'
import { plain } from '../../text/paint.ts'
import type { Reader } from '../../text/reader.ts'
import { table } from '../../text/table.ts'

/** Where there is less room, who did it is left out unless it was somebody. */
const ROOMY_COLUMNS = 110

/** In the order in which they are given; times are those of this place. */
export function auditTable(
  lines: readonly AuditLine[],
  { now, width = Number.POSITIVE_INFINITY, paint = plain }: Reader,
  { header = true } = {},
): string {
  const isAllToday = lines.every(({ at }) => dayOf(at) === dayOf(now))
  const isRoomy = width >= ROOMY_COLUMNS
  const heading = ['TIME', 'WHAT', 'AGENT', ...(isRoomy ? ['BY'] : []), 'DETAIL']
  const rows = lines.map((line) => [
    isAllToday ? timeOf(line.at) : `${dayOf(line.at)} ${timeOf(line.at)}`,
    wordsOf(line.kind),
    line.agentId ?? '-',
    ...(isRoomy ? [line.actor] : []),
    detailOf(line, isRoomy),
  ])
  const shown = header ? [heading, ...rows] : rows
  return table(shown, width, (cell, row, column) => {
    const line = lines[header ? row - 1 : row]
    if (!line) return paint('heading', cell)
    if (column === 0) return paint('quiet', cell)
    return column === 1 && isFailure(line) ? paint('bad', cell) : cell
  })
}

/** The year is told by `--json`. */
function dayOf(at: number): string {
  const date = new Date(at)
  return `${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

function timeOf(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function wordsOf(kind: AuditKind): string {
  return kind.replaceAll('_', ' ')
}

function isFailure({ kind, result }: AuditLine): boolean {
  return /_(?:failed|refused|blocked|lost|drift)$/.test(kind) || /^[A-Z_]+$/.test(result ?? '')
}

function detailOf(line: AuditLine, isRoomy: boolean): string {
  const { result, detail, payload, actor, triggerId, threadId } = line
  const parts = [
    result === 'ok' ? undefined : result,
    isRoomy || actor === 'trailboss' || actor === line.agentId ? undefined : `by ${actor}`,
    detail,
    payload?.text ?? (payload && `${payload.bytes} bytes`),
    triggerId,
    threadId,
  ]
  return parts
    .filter(Boolean)
    .map((part) => displayLine(part ?? ''))
    .join(' · ')
}
