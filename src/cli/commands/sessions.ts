import { shownHarness } from '../../tui/harness-name.ts'
import { createContext } from '../context.ts'
import { age, note, print, printJson } from '../output.ts'
import { table } from '../table.ts'

export async function sessions(options: { json?: boolean; all?: boolean }): Promise<void> {
  const { client } = createContext()
  const all = (await client.sessions()).sessions
  if (options.json) return printJson({ sessions: all })
  const shown = options.all ? all : all.filter((session) => session.state !== 'ended')
  if (shown.length === 0)
    return note(
      'No session is known. Start an agent in a tmux pane, or see what is missing: trailboss doctor',
    )
  const header = ['STATE', 'WHY', 'FOR', 'HARNESS', 'PANE', 'PID', 'SESSION', 'CWD']
  const rows = shown.map((session) => [
    session.headless ? `${session.state} (headless)` : session.state,
    session.label ?? '-',
    age(session.since),
    session.program ?? shownHarness(session.harness),
    session.pane?.id ?? '-',
    session.pid === null ? '-' : String(session.pid),
    session.session,
    session.cwd ?? '-',
  ])
  print(table([header, ...rows]))
}
