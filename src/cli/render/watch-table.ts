import type { MonitoredPane } from '../../contract/responses.ts'
import { ageText, durationText } from '../../text/duration.ts'
import type { Reader } from '../../text/reader.ts'
import { table } from '../../text/table.ts'

/** What the monitor sees, one row for each pane. */
export function watchTable(panes: readonly MonitoredPane[], reader: Reader): string {
  const { now } = reader
  return table(panes, reader, [
    ['PANE', ({ pane }) => pane.id],
    ['PROGRAM', ({ program }) => program],
    ['VERDICT', ({ state }) => state ?? '-'],
    ['SIGNAL', ({ signal }) => signal],
    ['LOOKED', ({ lookedAt }) => (lookedAt === null ? 'not yet' : `${ageText(lookedAt, now)} ago`)],
    [
      'NEXT',
      ({ nextLookAt }) => (nextLookAt <= now ? 'now' : `in ${durationText(nextLookAt - now)}`),
    ],
    [
      'ALIKE',
      (seen) =>
        seen.stall === 'none' ? String(seen.identical) : `${seen.identical}, ${stallText(seen)}`,
    ],
    ['SEES', sees],
  ])
}

function stallText({ stall, diagnosis }: MonitoredPane): string {
  if (stall === 'potential') return 'may be a stall'
  return diagnosis?.kind ?? 'stalled'
}

function sees({ rule, shows, diagnosis, attention }: MonitoredPane): string {
  const known = rule === null ? 'nothing that a rule knows' : `${rule} (${shows})`
  const found = diagnosis ? `; ${diagnosis.sentence}` : ''
  const quiet = attention === 'steady' ? '; its harness reports its own state' : ''
  return `${known}${found}${quiet}`
}
