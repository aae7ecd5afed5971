import type { MonitoredPane } from '../../contract/responses.ts'
import { ageText, durationText } from '../../text/duration.ts'
import type { Reader } from '../../text/reader.ts'
import { type Column, table } from '../../text/table.ts'

/** What the monitor sees, one row for each pane. */
export function watchTable(panes: readonly MonitoredPane[], reader: Reader): string {
  const { now } = reader
  const columns: Column<MonitoredPane>[] = [
    { head: 'PANE', text: ({ pane }) => pane.id },
    { head: 'PROGRAM', text: ({ program }) => program },
    { head: 'VERDICT', text: ({ state }) => state ?? '-' },
    { head: 'SIGNAL', text: ({ signal }) => signal },
    {
      head: 'LOOKED',
      text: ({ lookedAt }) => (lookedAt === null ? 'not yet' : `${ageText(lookedAt, now)} ago`),
    },
    {
      head: 'NEXT',
      text: ({ nextLookAt }) =>
        nextLookAt <= now ? 'now' : `in ${durationText(nextLookAt - now)}`,
    },
    {
      head: 'ALIKE',
      text: (seen) =>
        seen.stall === 'none' ? String(seen.identical) : `${seen.identical}, ${stallText(seen)}`,
    },
    { head: 'SEES', text: sees },
  ]
  return table(panes, columns, reader)
}

function stallText({ stall, diagnosis }: MonitoredPane): string {
  if (stall === 'potential') return 'may be a stall'
  return diagnosis?.kind ?? 'stalled'
}

function sees({ rule, shows, diagnosis, attention }: MonitoredPane): string {
  const known = rule === null ? 'nothing that a rule knows' : `${rule} (${shows})`
  const found = diagnosis ? `; ${diagnosis.sentence}` : ''
  const quiet = attention === 'steady' ? '; its harness speaks for itself' : ''
  return `${known}${found}${quiet}`
}
