import { basename } from 'node:path'
import type { Command } from 'commander'
import type { SessionState, SessionView } from '../../../contract/responses.ts'
import { itemNames } from '../../../core/identity/item-names.ts'
import { displayLine } from '../../../core/text.ts'
import { cutMiddle } from '../../../text/columns.ts'
import { ageText } from '../../../text/duration.ts'
import { LABEL_TONES, type Tone } from '../../../text/paint.ts'
import type { Reader } from '../../../text/reader.ts'
import { table } from '../../../text/table.ts'
import { shownHarness } from '../../../tui/model/harness-name.ts'
import { createContext } from '../../context/context.ts'
import { note, printFor, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'

/** A narrower terminal has no room for every column. */
const MEDIUM_COLUMNS = 80
const ROOMY_COLUMNS = 100
const WIDE_COLUMNS = 140
const STATE_TONES: Record<SessionState, Tone> = {
  stuck: 'waiting',
  working: 'good',
  unknown: 'quiet',
  ended: 'quiet',
}

export function addTo(program: Command): void {
  addCommand(program, 'sessions', 'print every known session', sessions).option(
    '--all',
    'include ended sessions',
  )
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

function sessionTable(sessions: readonly SessionView[], reader: Reader): string {
  const tone = () => 'quiet' as const
  const { width = WIDE_COLUMNS } = reader
  const names = namesOf(sessions, width)
  return table(sessions, reader, [
    ['STATE', stateText, { tone: ({ state }) => STATE_TONES[state] }],
    [
      'WHY',
      ({ label }) => label ?? '-',
      { tone: ({ label }) => (label ? LABEL_TONES[label] : 'quiet') },
    ],
    ['FOR', ({ since }) => ageText(since, reader.now), { tone }],
    [
      'HARNESS',
      ({ program, harness }) => program ?? shownHarness(harness),
      { from: MEDIUM_COLUMNS },
    ],
    ['PROJECT', (session) => names.get(session) ?? '-'],
    ['PANE', (session) => paneText(session, width), { tone }],
    ['PID', ({ pid }) => String(pid ?? '-'), { tone, from: WIDE_COLUMNS }],
    ['SESSION', ({ session }) => session, { tone }],
    ['CWD', ({ cwd }) => cwd ?? '-', { from: WIDE_COLUMNS }],
  ])
}

/** The agent or the project, and what tells it apart from others. */
function namesOf(sessions: readonly SessionView[], width: number): Map<SessionView, string> {
  const named = sessions.map((session) => {
    // One that has ended has no project any more.
    const { project = session.cwd === null ? null : basename(session.cwd) } = session
    return { ...session, project }
  })
  const names = itemNames(named, {
    shorten: (name) => cutMiddle(name, Math.max(18, width >> 2)),
    isRoomy: width >= ROOMY_COLUMNS,
    beside: (session) => (width >= WIDE_COLUMNS ? paneText(session, width) : ''),
  })
  return new Map(sessions.map((session, index) => [session, names[index] ?? '']))
}

function paneText({ pane, job, window }: SessionView, width: number): string {
  if (!pane) return job ? 'background' : '-'
  return window && width >= WIDE_COLUMNS ? `${displayLine(window)} ${pane.id}` : pane.id
}

/** An agent that has finished what the supervisor asked of it waits for its next prompt, and for nobody. */
function stateText({ state, headless, listed, dismissedAt }: SessionView): string {
  if (dismissedAt !== undefined) return 'dismissed'
  if (headless) return `${state} (headless)`
  return state === 'stuck' && listed === false ? 'idle' : state
}
