import type { AuditKind, AuditLine } from '../../core/audit.ts'
import { displayLine } from '../../core/text.ts'
import type { Reader } from '../../text/reader.ts'
import { table } from '../../text/table.ts'

/** A narrower terminal shows who did it only if it was not Trail Boss. */
const ROOMY_COLUMNS = 110

/** In the given order; times are local. */
export function auditTable(
  lines: readonly AuditLine[],
  reader: Reader,
  { header = true } = {},
): string {
  const isAllToday = lines.every(({ at }) => dayOf(at) === dayOf(reader.now))
  const isRoomy = (reader.width ?? Number.POSITIVE_INFINITY) >= ROOMY_COLUMNS
  return table(lines, { ...reader, header }, [
    [
      'TIME',
      ({ at }) => (isAllToday ? timeOf(at) : `${dayOf(at)} ${timeOf(at)}`),
      { tone: () => 'quiet' },
    ],
    [
      'WHAT',
      ({ kind }) => wordsOf(kind),
      { tone: (line) => (isFailure(line) ? 'bad' : undefined) },
    ],
    ['AGENT', ({ agentId }) => agentId ?? '-'],
    ['BY', ({ actor }) => actor, { from: ROOMY_COLUMNS }],
    ['DETAIL', (line) => detailOf(line, isRoomy)],
  ])
}

/** Only `--json` has the year. */
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
