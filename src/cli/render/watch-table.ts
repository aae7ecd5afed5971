import type { MonitoredPane } from '../../contract/responses.ts'
import { table } from '../../text/table.ts'
import { age } from '../context/output.ts'

/** What the monitor sees, one row for each pane. */
export function watchTable(panes: readonly MonitoredPane[], now: number, width?: number): string {
  const header = ['PANE', 'PROGRAM', 'VERDICT', 'SIGNAL', 'LOOKED', 'NEXT', 'ALIKE', 'SEES']
  return table([header, ...panes.map((pane) => row(pane, now))], width)
}

function row(seen: MonitoredPane, now: number): string[] {
  return [
    seen.pane.id,
    seen.program,
    seen.state ?? '-',
    seen.signal,
    seen.lookedAt === null ? 'not yet' : `${age(seen.lookedAt, now)} ago`,
    seen.nextLookAt <= now ? 'now' : `in ${age(now, seen.nextLookAt)}`,
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
