import type { Command } from 'commander'
import type { QueueItem, StatusView, Warning } from '../../../contract/responses.ts'
import { catalogue, TrailBossError } from '../../../core/errors.ts'
import { placeName } from '../../../core/identity/item-names.ts'
import { displayLine } from '../../../core/text.ts'
import { ageText } from '../../../text/duration.ts'
import { fieldLines } from '../../../text/fields.ts'
import type { Reader } from '../../../text/reader.ts'
import { type Context, createContext } from '../../context/context.ts'
import { note, print, printJson, terminalReader } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'

const DOWN: StatusView = {
  daemon: { running: false, pid: null, version: null, startedAt: null },
  stuck: 0,
  ready: 0,
  working: 0,
  labels: {},
  warnings: [],
  tcp: null,
  servers: [],
}

/** Exit code 3 when the daemon does not run, with and without `--json`. */
export function addTo(program: Command): void {
  addCommand(program, 'status', 'show the daemon and the queue at a glance', status)
}

async function status(options: { json?: boolean }): Promise<number> {
  const context = createContext()
  try {
    const view = await context.client.status()
    if (options.json) printJson(view)
    else describe(view, context)
    return 0
  } catch (error) {
    if (!(error instanceof TrailBossError) || catalogue[error.code].exit !== 3) throw error
    if (options.json) printJson(DOWN)
    else if (error.code === 'DAEMON_HUNG') note(`${error.message} ${error.hint ?? ''}`)
    else note('Trail Boss is not running. Start it with: trailboss up')
    return 3
  }
}

/** How a label reads after a number. */
const COUNTED: Readonly<Record<string, string>> = { asks: 'asking', waits: 'waiting' }

export function describe(view: StatusView, context: Context): void {
  print(statusText(view, context.paths.home, terminalReader()))
  noteWarnings(view, context)
}

/** The daemon's warnings, all or those of one kind. */
export function noteWarnings(
  { warnings, warningKinds }: StatusView,
  { config }: Context,
  only?: Warning['kind'],
): void {
  for (const [at, warning] of warnings.entries()) {
    const kind = warningKinds?.[at]
    // The context has reported invalid settings already.
    const isKnown = kind === 'config' && config === undefined
    if (!isKnown && (only ?? kind) === kind) note(`warning: ${displayLine(warning)}`)
  }
}

function statusText(view: StatusView, home: string, reader: Reader): string {
  const { daemon } = view
  const cooling = view.stuck - view.ready
  const dismissed = view.dismissed ? `, ${view.dismissed} dismissed` : ''
  const kinds = Object.entries(view.labels).map(
    ([label, count]) => `${count} ${COUNTED[label] ?? label}`,
  )
  const what = kinds.length > 0 ? ` (${kinds.join(', ')})` : ''
  const age = ageText(daemon.startedAt, reader.now)
  return [
    `Trail Boss ${daemon.version} runs (pid ${daemon.pid}, up ${age}).`,
    ...fieldLines(
      [
        [
          'stuck',
          `${view.ready}${cooling > 0 ? ` and ${cooling} skipped` : ''}${what}${dismissed}`,
        ],
        ['next', view.head && headText(view.head, reader)],
        ['working', String(view.working)],
        ['agents', agentsText(view.agents ?? {})],
        ...view.servers.map(
          (server) => ['tmux', `${server.socket}: ${serverText(server)}`] as const,
        ),
        ['home', home],
      ],
      reader,
    ),
  ].join('\n')
}

function headText(head: QueueItem, { now }: Reader): string {
  const { branch, window, label, since } = head
  const name = [placeName(head), branch, window].filter(Boolean).join(' · ')
  return `${name} (${label}, ${ageText(since, now)})`
}

function agentsText(agents: Record<string, number>): string | undefined {
  const states = Object.entries(agents).map(([state, count]) => `${count} ${state}`)
  return states.length === 0 ? undefined : states.join(', ')
}

function serverText({ reachable, panes, control }: StatusView['servers'][number]): string {
  if (!reachable) return 'no tmux server answers there'
  const count = `${panes} ${panes === 1 ? 'pane' : 'panes'}`
  const isAsItShould = control.connected || !control.wanted
  return isAsItShould ? count : `${count}, without a control client: ${control.why}`
}
