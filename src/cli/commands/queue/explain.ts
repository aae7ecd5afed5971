import type { Command } from 'commander'
import type { ExplainView, StatusView } from '../../../contract/responses.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { displayLine } from '../../../core/text.ts'
import { proseWidth } from '../../../text/reader.ts'
import { type Context, createContext } from '../../context/context.ts'
import { print, printFor, printJson, printView } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { explanationText } from '../../render/explanation.ts'
import { namedTarget } from './watch-target.ts'

type ExplainOptions = { json?: boolean; all?: boolean } & ScreenOptions
type ScreenOptions = { screen?: string; harness?: string; title?: string; cursor?: string }

export function addTo(program: Command): void {
  addCommand(program, 'explain', 'explain why a session is listed, or why not', explain)
    .argument(
      '[target]',
      "session id, its first characters (4 or more), pane id (%3), . for this pane, agent, or a name that the list shows ('api fix-login'); else all",
    )
    .option('--all', 'include ended sessions')
    .option('--screen <file>', 'explain which rule matches this saved screen (- for stdin)')
    .option('--harness <name>', 'with --screen: whose rules (default: generic)')
    .option('--title <text>', "with --screen: the pane's title")
    .option('--cursor <x,y>', 'with --screen: where the cursor stands, or: hidden')
}

/** One session or pane, or with no target every session. */
async function explain(target: string | undefined, options: ExplainOptions): Promise<void> {
  const { screen } = options
  if (screen !== undefined) {
    // The rules of every harness are only needed here.
    const { explainScreen } = await import('./explain-screen.ts')
    return await explainScreen(target, { ...options, screen })
  }
  requireNoScreen(options)
  const context = createContext()
  const { client } = context
  if (target !== undefined) {
    const view = await client.explain(namedTarget(target), context.socket)
    return await printView(view, options, explanationText)
  }
  const all = await client.explainAll({ ended: options.all ?? false })
  if (options.json) return printJson(all)
  await printAll(all.sessions, await client.status(), context)
}

/** Ignoring them silently would mislead. */
function requireNoScreen({ harness, title, cursor }: ScreenOptions): void {
  const [given] =
    Object.entries({ harness, title, cursor }).find(([, value]) => value !== undefined) ?? []
  if (given === undefined) return
  throw new TrailBossError('BAD_USAGE', `--${given} is about a saved screen, and none is given.`, {
    hint: 'Name its file with --screen FILE, or leave the flag out.',
  })
}

async function printAll(
  sessions: ExplainView[],
  { servers, warnings }: StatusView,
  { paths }: Context,
): Promise<void> {
  for (const view of sessions) {
    await printFor((reader) => {
      const rule = '─'.repeat(Math.min(proseWidth(reader), 100))
      return `${explanationText(view, reader)}\n\n${rule}\n`
    })
  }
  print(summary(sessions))
  for (const { socket, reachable } of servers) {
    if (!reachable)
      print(`The tmux server ${displayLine(socket)} does not answer: what runs there is not seen.`)
  }
  for (const sentence of warnings) print(displayLine(sentence))
  if (sessions.length === 0)
    print(`Check that agents can report: trailboss doctor (log: ${paths.log})`)
}

function summary(sessions: ExplainView[]): string {
  if (sessions.length === 0) return 'No session is known.'
  const stateOf = ({ state, listed, headless }: ExplainView) =>
    state === 'stuck' && !listed && !headless ? 'idle' : state
  const count = (state: ReturnType<typeof stateOf>) =>
    sessions.filter((session) => stateOf(session) === state).length
  const states = (['stuck', 'working', 'idle', 'unknown', 'ended'] as const)
    .filter((state) => count(state) > 0)
    .map((state) => `${count(state)} ${state}`)
  return `${sessions.length} ${sessions.length === 1 ? 'session' : 'sessions'}: ${states.join(', ')}.`
}
