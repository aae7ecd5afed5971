import type { MonitoredPane } from '../../contract/responses.ts'
import { ageText } from '../../text/duration.ts'
import type { Reader } from '../../text/reader.ts'
import { table } from '../../text/table.ts'

/** What the monitor sees, one row for each pane. */
export function watchTable(panes: readonly MonitoredPane[], { now, width }: Reader): string {
  const header = ['PANE', 'PROGRAM', 'VERDICT', 'SIGNAL', 'LOOKED', 'NEXT', 'ALIKE', 'SEES']
  return table([header, ...panes.map((pane) => row(pane, now))], width)
}

function row(seen: MonitoredPane, now: number): string[] {
  return [
    seen.pane.id,
    seen.program,
    seen.state ?? '-',
    seen.signal,
    seen.lookedAt === null ? 'not yet' : `${ageText(seen.lookedAt, now)} ago`,
    seen.nextLookAt <= now ? 'now' : `in ${ageText(now, seen.nextLookAt)}`,
    seen.stall === 'none' ? String(seen.identical) : `${seen.identical}, ${stallText(seen)}`,
    sees(seen),
  ]
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
