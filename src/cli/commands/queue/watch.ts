import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { MonitoredPane, MonitorView } from '../../../contract/responses.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { loadWantedGraphemes } from '../../../text/columns.ts'
import type { Key } from '../../../tui/model/keys.ts'
import { openTerminal, type Terminal } from '../../../tui/terminal.ts'
import { type Context, createContext, requireConfig } from '../../context/context.ts'
import { note, printFor, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { watchTable } from '../../render/watch-table.ts'
import {
  findTarget,
  panesIn,
  startWatching,
  stopWatching,
  type WatchTarget,
} from './watch-target.ts'

type WatchOptions = { off?: boolean; once?: boolean; json?: boolean }

const REDRAW_MS = 1_000
/** The daemon looks for programs once a second. */
const FIRST_SIGHT_MS = 3_000

export function addTo(program: Command): void {
  addCommand(program, 'watch', 'show live what the monitor sees, or watch one more pane', watch)
    .argument('[target]', 'pane (%3, . for this one), window (@2, work:1) or tmux session (work)')
    .option('--off', 'stop watching it')
    .option('--once', 'print once instead of live')
}

/** Without a target, shows everything that the monitor watches. A target is watched from now on. */
async function watch(text: string | undefined, options: WatchOptions): Promise<void> {
  // The settings may name the tmux server of the target.
  if (text !== undefined) requireConfig()
  const context = createContext()
  if (options.off && text === undefined) {
    throw new TrailBossError('BAD_USAGE', '--off needs a target.', {
      hint: 'Name a pane, a window or a tmux session.',
    })
  }
  const target = text === undefined ? undefined : await findTarget(context.socket, text)
  if (target && options.off) return await leaveAlone(context, target)
  if (target) {
    await startWatching(target)
    await notifyDaemon(context, target, 'watched')
  }
  const isLive = !options.json && !options.once && process.stdout.isTTY && process.stdin.isTTY
  if (isLive) return await showLive(context, target)
  const panes = await firstSight(context, target)
  if (options.json) return printJson({ panes } satisfies MonitorView)
  if (panes.length > 0) return await printFor((reader) => watchTable(panes, reader))
  note(nothingText(target))
}

async function leaveAlone(context: Context, target: WatchTarget): Promise<void> {
  const it = `The ${target.level} ${target.id}`
  if (!(await stopWatching(target))) {
    return note(`${it} was not watched: nothing has changed. A harness is always watched.`)
  }
  await notifyDaemon(context, target, 'not watched')
  note(`${it} is no longer watched.`)
}

/** The option is in tmux either way, even if the daemon does not run. */
async function notifyDaemon(
  { client }: Context,
  { socket, level, id }: WatchTarget,
  what: 'watched' | 'not watched',
): Promise<void> {
  try {
    await client.knowServer(socket)
  } catch (error) {
    if (!(error instanceof TrailBossError)) throw error
    const noted = `The ${level} ${id} is noted: once the daemon runs, it is ${what}`
    throw new TrailBossError(error.code, `${error.message} ${noted}.`, {
      ...(error.hint && { hint: error.hint }),
      cause: error,
    })
  }
}

async function monitoredIn(
  { client }: Context,
  target: WatchTarget | undefined,
): Promise<MonitoredPane[]> {
  const { panes } = await client.monitor()
  if (!target) return panes
  const ids = await panesIn(target)
  return panes.filter(({ pane }) => pane.socket === target.socket && ids.has(pane.id))
}

/** The monitor looks at a new target a moment later. */
async function firstSight(
  context: Context,
  target: WatchTarget | undefined,
): Promise<MonitoredPane[]> {
  const deadline = Date.now() + FIRST_SIGHT_MS
  while (true) {
    const panes = await monitoredIn(context, target)
    const isSeen = panes.length > 0 && panes.every(({ lookedAt }) => lookedAt !== null)
    if (!target || isSeen || Date.now() > deadline) return panes
    await delay(100)
  }
}

/** Until `q`, Ctrl-C, or the end of the terminal. */
async function showLive(context: Context, target: WatchTarget | undefined): Promise<void> {
  const terminal = openTerminal()
  const left = new AbortController()
  terminal.listen({
    onKeys: (keys) => {
      if (keys.some(isLeave)) left.abort()
    },
    onResize: () => {},
    onClose: () => left.abort(),
  })
  try {
    while (!left.signal.aborted) {
      draw(terminal, await monitoredIn(context, target), target)
      await delay(REDRAW_MS, undefined, { signal: left.signal }).catch(() => {})
    }
  } finally {
    terminal.close()
  }
}

function isLeave(key: Key): boolean {
  if (key.kind === 'named') return key.name === 'escape' || key.name === 'ctrl-c'
  return key.kind === 'text' && key.text.includes('q')
}

function draw(terminal: Terminal, panes: MonitoredPane[], target: WatchTarget | undefined): void {
  const { columns, rows } = terminal.size()
  const shown =
    panes.length > 0 ? watchTable(panes, { now: Date.now(), width: columns }) : nothingText(target)
  // An estimated width is exact in the next frame.
  void loadWantedGraphemes()
  const lines = [...shown.split('\n').slice(0, rows - 2), '', 'q leaves']
  terminal.draw(Array.from({ length: rows }, (_, row) => lines[row] ?? ''))
}

function nothingText(target: WatchTarget | undefined): string {
  return target
    ? `The ${target.level} ${target.id} is watched. Nothing but a shell, or Trail Boss itself, runs there now.`
    : 'Nothing is watched: no harness runs in a pane. Have one watched with: trailboss watch <pane>'
}
