import type { AnswerTimes, StatsView, SupervisorStats } from '../../contract/stats.ts'
import { durationText, elapsedText } from '../../text/duration.ts'
import { fieldLines } from '../../text/fields.ts'
import { plain } from '../../text/paint.ts'
import type { Reader } from '../../text/reader.ts'
import { table } from '../../text/table.ts'
import { shownHarness } from '../../tui/model/harness-name.ts'

/** The queue now, what was answered and how fast, and how the runtimes did. */
export function statsText(view: StatsView, reader: Reader): string {
  const { answers, outcomes, supervisor } = view
  const parts = [
    fieldLines(
      [
        ['queue', queueText(view, reader)],
        ['answered', countText(outcomes.answered)],
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

type Count = { today: number; week: number }

function countText({ today, week }: Count): string {
  return `${today} today, ${week} in seven days`
}

function unlessNone(count: Count, remark: string): string | undefined {
  return count.week > 0 ? `${countText(count)} (${remark})` : undefined
}

function queueText({ queue }: StatsView, { now }: Reader): string {
  const { ready, cooling, oldestSince } = queue
  if (oldestSince === null) return 'nothing is stuck'
  const cooled = cooling > 0 ? `, ${cooling} skipped` : ''
  return `${ready} stuck${cooled}, the oldest for ${durationText(now - oldestSince)}`
}

function answersTable({ answers }: StatsView, { width, paint = plain }: Reader): string {
  const header = ['  TIME TO ANSWER', 'MEDIAN', '9 OF 10', 'LONGEST', 'TODAY', '7 DAYS']
  const rows = answers.harnesses.map((each) => answersRow(shownHarness(each.harness), each))
  const all = rows.length > 1 ? [answersRow('all', answers)] : []
  const text = table([header, ...rows, ...all], width && width - 2, (cell, row) =>
    row === 0 ? paint('heading', cell) : cell,
  )
  return text.replace(/^/gm, '  ')
}

function answersRow(name: string, times: AnswerTimes): string[] {
  const length = (ms: number | null) => (ms === null ? '-' : elapsedText(ms))
  const { medianMs, p90Ms, longestMs, today, week } = times
  return [name, length(medianMs), length(p90Ms), length(longestMs), String(today), String(week)]
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
