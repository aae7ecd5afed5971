import type { Command } from 'commander'
import type { SessionState, SessionView } from '../../../contract/responses.ts'
import { ageText } from '../../../text/duration.ts'
import { LABEL_TONES, type Tone } from '../../../text/paint.ts'
import type { Reader } from '../../../text/reader.ts'
import { type Column, table } from '../../../text/table.ts'
import { shownHarness } from '../../../tui/model/harness-name.ts'
import { createContext } from '../../context/context.ts'
import { note, printFor, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'

/** A narrower terminal has no room for every column. */
const ROOMY_COLUMNS = 100
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
  return table(sessions, reader, [
    ['STATE', stateText, { tone: ({ state }) => STATE_TONES[state] }],
    [
      'WHY',
      ({ label }) => label ?? '-',
      { tone: ({ label }) => (label ? LABEL_TONES[label] : 'quiet') },
    ],
    ['FOR', ({ since }) => ageText(since, reader.now), { tone }],
    ['HARNESS', ({ program, harness }) => program ?? shownHarness(harness)],
    ...(sessions.some(({ agent }) => agent !== undefined) ? [AGENT_COLUMN] : []),
    ['PANE', ({ pane, job }) => pane?.id ?? (job ? 'background' : '-'), { tone }],
    ['PID', ({ pid }) => String(pid ?? '-'), { tone, from: ROOMY_COLUMNS }],
    ['SESSION', ({ session }) => session, { tone }],
    ['CWD', ({ cwd }) => cwd ?? '-', { from: ROOMY_COLUMNS }],
  ])
}

const AGENT_COLUMN: Column<SessionView> = ['AGENT', ({ agent }) => agent ?? '-']

/** An agent that has finished what the supervisor asked of it waits for its next prompt, and for nobody. */
function stateText({ state, headless, listed }: SessionView): string {
  if (headless) return `${state} (headless)`
  return state === 'stuck' && listed === false ? 'idle' : state
}
