import type { Command } from 'commander'
import type { SessionState, SessionView } from '../../../contract/responses.ts'
import { ageText } from '../../../text/duration.ts'
import { LABEL_TONES, plain, type Tone } from '../../../text/paint.ts'
import type { Reader } from '../../../text/reader.ts'
import { type PaintCell, table } from '../../../text/table.ts'
import { shownHarness } from '../../../tui/model/harness-name.ts'
import { createContext } from '../../context/context.ts'
import { note, printFor, printJson } from '../../context/output.ts'
import { running } from '../../context/run-command.ts'

const HARNESS_COLUMN = 3
const CWD_COLUMN = 7
const STATE_TONES: Record<SessionState, Tone> = {
  stuck: 'waiting',
  working: 'good',
  unknown: 'quiet',
  ended: 'quiet',
}

export function addTo(program: Command): void {
  program
    .command('sessions')
    .description('print every known session')
    .option('--all', 'those that ended, too')
    .option('--json', 'print JSON')
    .action(running(sessions))
}

async function sessions(options: { json?: boolean; all?: boolean }): Promise<void> {
  const { client } = createContext()
  const all = (await client.sessions()).sessions
  if (options.json) return printJson({ sessions: all })
  const shown = options.all ? all : all.filter((session) => session.state !== 'ended')
  if (shown.length === 0)
    return note(
      'No session is known. Start an agent in a tmux pane, or see what is missing: trailboss doctor',
    )
  await printFor((reader) => sessionTable(shown, reader))
}

function sessionTable(
  shown: readonly SessionView[],
  { now, width, paint = plain }: Reader,
): string {
  const header = ['STATE', 'WHY', 'FOR', 'HARNESS', 'PANE', 'PID', 'SESSION', 'CWD']
  const rows = shown.map((session) => [
    session.headless ? `${session.state} (headless)` : session.state,
    session.label ?? '-',
    ageText(session.since, now),
    session.program ?? shownHarness(session.harness),
    session.pane?.id ?? '-',
    session.pid === null ? '-' : String(session.pid),
    session.session,
    session.cwd ?? '-',
  ])
  const tone = (column: number, { label, state }: SessionView): Tone | undefined => {
    if (column === 1 && label) return LABEL_TONES[label]
    if (column === 0) return STATE_TONES[state]
    return column === HARNESS_COLUMN || column === CWD_COLUMN ? undefined : 'quiet'
  }
  const painted: PaintCell = (cell, at, column) => {
    const session = shown[at - 1]
    const wanted = session ? tone(column, session) : 'heading'
    return wanted ? paint(wanted, cell) : cell
  }
  return table([header, ...rows], width, painted)
}
