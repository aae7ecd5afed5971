import type { OutcomeCount, StatsView, SupervisorStats } from '../../contract/stats.ts'
import { durationText, elapsedText } from '../../text/duration.ts'
import { fieldLines } from '../../text/fields.ts'
import type { Reader } from '../../text/reader.ts'
import { table } from '../../text/table.ts'

/** The queue now, what was answered and how fast, and how the runtimes did. */
export function statsText(view: StatsView, reader: Reader): string {
  const { answers, outcomes, supervisor } = view
  const parts = [
    fieldLines(
      [
        ['queue', queueText(view, reader)],
        ['answered', countText(outcomes.answered)],
        ['dismissed', unlessNone(outcomes.dismissed, 'needed nothing')],
        ['settled', unlessNone(outcomes.settled, 'without you')],
        ['ended', unlessNone(outcomes.ended, 'gone while stuck')],
        ['unknown', unlessNone(outcomes.unknown, 'from before this was counted')],
      ],
      reader,
    ).join('\n'),
    answers.week > 0 ? answersTable(view, reader) : undefined,
    supervisor ? fieldLines(supervisorFields(supervisor), reader).join('\n') : undefined,
  ]
  return parts.filter((part) => part !== undefined).join('\n\n')
}

function countText({ today, week }: OutcomeCount): string {
  return `${today} today, ${week} in seven days`
}

function unlessNone(count: OutcomeCount | undefined, remark: string): string | undefined {
  return count && count.week > 0 ? `${countText(count)} (${remark})` : undefined
}

function queueText({ queue }: StatsView, { now }: Reader): string {
  const { ready, cooling, dismissed = 0, oldestSince } = queue
  const away = dismissed > 0 ? `, ${dismissed} dismissed` : ''
  if (oldestSince === null) return `nothing is stuck${away}`
  const cooled = cooling > 0 ? `, ${cooling} skipped` : ''
  return `${ready} stuck${cooled}${away}, the oldest for ${durationText(now - oldestSince)}`
}

function answersTable({ answers }: StatsView, { width, ...reader }: Reader): string {
  const rows = answers.harnesses.map((each) => ({ ...each, name: each.harness }))
  const all = rows.length > 1 ? [{ ...answers, name: 'all' }] : []
  const length = (ms: number | null) => (ms === null ? '-' : elapsedText(ms))
  const text = table([...rows, ...all], { ...reader, ...(width && { width: width - 2 }) }, [
    ['TIME TO ANSWER', ({ name }) => name],
    ['MEDIAN', ({ medianMs }) => length(medianMs)],
    ['9 OF 10', ({ p90Ms }) => length(p90Ms)],
    ['LONGEST', ({ longestMs }) => length(longestMs)],
    ['TODAY', ({ today }) => String(today)],
    ['7 DAYS', ({ week }) => String(week)],
  ])
  return text.replace(/^/gm, '  ')
}

function supervisorFields(stats: SupervisorStats): [string, string | undefined][] {
  const { runtimes, triggers, restarts, drifts } = stats
  const { medianMs, p90Ms } = triggers
  const failed = runtimes.failed.length > 0 ? `; ${runtimes.failed.join(', ')} failed` : ''
  return [
    ['runtimes', `${runtimes.running} of ${runtimes.total} run${failed}`],
    [
      'triggers',
      `${triggers.delivered} delivered, ${triggers.failed} failed, ${triggers.open} under way`,
    ],
    [
      'delivery',
      medianMs === null || p90Ms === null
        ? undefined
        : `half within ${elapsedText(medianMs)}, nine of ten within ${elapsedText(p90Ms)}`,
    ],
    ['restarts', String(restarts)],
    ['drift', drifts === 0 ? undefined : `${drifts} times a pane was not the one that was known`],
  ]
}
