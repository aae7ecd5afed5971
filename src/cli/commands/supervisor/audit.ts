import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { AuditQuery, SupervisorClient } from '../../../client/supervisor-client.ts'
import { AUDIT_KINDS, type AuditKind, type AuditLine } from '../../../core/audit.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { collected, upTo } from '../../context/option-values.ts'
import { note, printFor, printJson, printJsonLine } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { auditTable } from '../../render/audit-table.ts'
import { RUN_BY_US } from './help-group.ts'
import { createSupervised } from './supervisor-context.ts'
import { momentOf } from './time-argument.ts'

type AuditOptions = Pick<
  AuditQuery,
  'agent' | 'runtime' | 'thread' | 'trigger' | 'actor' | 'result'
> & {
  kind?: string[]
  since?: string
  until?: string
  limit: number
  follow?: boolean
  json?: boolean
}

const FOLLOW_MS = 1_000
const MOST_REMEMBERED = 200

export function addTo(program: Command): void {
  addCommand(program, 'audit', 'print what was done to runtimes, panes, threads and tokens', audit)
    .helpGroup(RUN_BY_US)
    .option('--agent <name>', 'only of this agent: <workspace>/<role>')
    .option('--runtime <id>', 'only of this runtime')
    .option('--thread <id>', 'only of this thread')
    .option('--trigger <id>', 'only of this trigger')
    .option('--kind <kind>', 'only this kind; may be given several times', collected)
    .option('--actor <who>', 'only by operator:<name>, an agent, or trailboss')
    .option('--result <code>', 'only with this result: ok, or an error code')
    .option('--since <time>', 'from then on: 2h or 7d (ago), 14:30, 2026-01-31')
    .option('--until <time>', 'up to then')
    .option('--limit <n>', 'at most this many, the newest', upTo(1000), 50)
    .option('--follow', 'keep printing new lines until interrupted')
}

/** Newest last, like a log. */
async function audit(options: AuditOptions): Promise<void> {
  const query = queryOf(options, Date.now())
  const { supervisor } = createSupervised()
  const view = await supervisor.audit(query)
  const { lines } = view
  if (options.json && !options.follow) return printJson(view)
  const say = options.json ? printLines : rowsPrinter()
  if (lines.length > 0) await say(lines.toReversed())
  else if (!options.follow) note('No line of the audit matches.')
  if (view.next !== null && !options.follow) note('There are older lines; see --limit and --until.')
  if (options.follow) await follow(supervisor, query, lines[0]?.seq ?? 0, say)
}

type Say = (lines: AuditLine[]) => Promise<void>

/** Later lines keep the columns of those printed before. */
function rowsPrinter(): Say {
  let before: AuditLine[] = []
  return async (lines) => {
    const isFirst = before.length === 0
    const all = [...before, ...lines]
    await printFor((reader) => {
      const text = auditTable(all, reader, { header: isFirst })
      return isFirst ? text : text.split('\n').slice(-lines.length).join('\n')
    })
    before = all.slice(-MOST_REMEMBERED)
  }
}

/** One JSON value per line. */
const printLines: Say = async (lines) => {
  for (const line of lines) printJsonLine(line)
}

/** Until it is interrupted. */
async function follow(
  supervisor: SupervisorClient,
  query: AuditQuery,
  from: number,
  say: Say,
): Promise<never> {
  let last = from
  while (true) {
    await delay(FOLLOW_MS)
    const fresh = await linesAfter(supervisor, query, last)
    if (fresh.length > 0) await say(fresh)
    last = fresh.at(-1)?.seq ?? last
  }
}

/** Oldest first. */
async function linesAfter(
  supervisor: SupervisorClient,
  query: AuditQuery,
  seq: number,
): Promise<AuditLine[]> {
  const found: AuditLine[] = []
  let before: number | undefined
  while (true) {
    const { lines, next } = await supervisor.audit({
      ...query,
      limit: 200,
      ...(before !== undefined && { before }),
    })
    const fresh = lines.filter((line) => line.seq > seq)
    found.push(...fresh)
    if (next === null || fresh.length < lines.length) return found.toReversed()
    before = next
  }
}

function queryOf(options: AuditOptions, now: number): AuditQuery {
  const { kind, since, until, follow: _, json: __, ...same } = options
  return {
    ...same,
    ...(kind && { kinds: kind.map(knownKind) }),
    ...(since !== undefined && { since: momentOf(since, now) }),
    ...(until !== undefined && { until: momentOf(until, now) }),
  }
}

/** As it is stored, or as the table shows it. */
function knownKind(text: string): AuditKind {
  const kind = AUDIT_KINDS.find((known) => known === text.replaceAll(/[ -]/g, '_'))
  if (kind) return kind
  throw new TrailBossError('BAD_USAGE', `The audit has no kind "${text}".`, {
    hint: `It has: ${AUDIT_KINDS.join(', ')}.`,
  })
}
