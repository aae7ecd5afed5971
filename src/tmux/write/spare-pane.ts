import { TrailBossError } from '../../core/errors.ts'
import type { Pane } from '../../core/pane.ts'
import { runCommands, runTmux, type TmuxResult } from '../exec.ts'

/** A pane that the supervisor made, and where it stands. */
export type RuntimePane = Pane & { sessionId: string; windowId: string }

/** On a pane of ours, with the pid of its process: one that somebody respawns keeps its options, and is ours no more. */
export const TAG = '@trailboss_runtime'

/** On the window of a role: its name is the operator's to change. */
const ROLE_OPTION = '@trailboss_role'

export const IDS = '#{pid} #{session_id} #{window_id} #{pane_id} #{pane_pid}'
const IDS_ROW = /^(\d+) (\$\d+) (@\d+) (%\d+) (\d+)$/
// Nothing that a runtime is started with reads like this.
const IS_SPARE = '#{==:#{pane_start_command},sleep 61}'
const SPARE = ['sleep', '61']
// Wide enough for a dialog; it takes the size of the operator's terminal once that shows it.
const SIZE = ['-x', '160', '-y', '48']

/**
 * A pane in which a program can be started, in the window of this role in this tmux session: the one in which
 * ours has ended, or a new one. Window and session are made where they are not there. The window
 * keeps a program that has ended; set after the start of the program, that option may be too late. Nobody's view moves.
 */
export async function makeSparePane(
  socket: string,
  session: string,
  role: string,
): Promise<RuntimePane> {
  const places = await placesIn(socket, session)
  const ofRole = places?.filter((place) => place.role === role) ?? []
  // From a start that was broken off, or of a program of ours that has ended.
  const left = ofRole.find(({ isSpare }) => isSpare) ?? ofRole.find(({ isOver }) => isOver)
  if (left) return left.pane
  const beside = await open(socket, commandFor(session, role, places?.[0], ofRole[0]))
  // What the operator has put beside it may leave no room.
  const pane =
    beside === 'no-room' ? await open(socket, commandFor(session, role, places?.[0])) : beside
  if (pane === 'no-room') throw unopened('there is no room for it')
  // Another role was a moment quicker.
  if (pane === 'session-is-there') return makeSparePane(socket, session, role)
  const options = [
    ['set-option', '-w', '-t', pane.windowId, 'remain-on-exit', 'on'],
    ['set-option', '-w', '-t', pane.windowId, ROLE_OPTION, role],
  ]
  const set = await runCommands(socket, options)
  if (!set.ok) throw unopened(set)
  return pane
}

/** What tmux answers when it was asked to open a pane, as an error. */
export function unopened(why: string | Extract<TmuxResult, { ok: false }>): TrailBossError {
  const reason = typeof why === 'string' ? why : why.stderr.trim() || why.kind
  return new TrailBossError('TMUX_UNREACHABLE', `tmux did not open a pane for it: ${reason}.`, {
    hint: 'See what tmux says itself: tmux ls. Then try again.',
  })
}

/** Reads the ids of a pane as `IDS` has them printed. */
export function paneIn(socket: string, row: string): RuntimePane | undefined {
  const [, server, sessionId, windowId, id, pid] = IDS_ROW.exec(row.trim()) ?? []
  if (!sessionId || !windowId || !id) return undefined
  return { socket, server: Number(server), sessionId, windowId, id, pid: Number(pid) }
}

/** `isOver`: what we started in it has ended. */
type Place = { pane: RuntimePane; isSpare: boolean; isOver: boolean; role: string }

/** Undefined where there is no such session. Without the colon, `list-panes` (3.3a) takes any session for it. */
async function placesIn(socket: string, session: string): Promise<Place[] | undefined> {
  const format = `${IS_SPARE} #{?pane_dead,1,0} r#{${ROLE_OPTION}} ${IDS} t#{${TAG}}`
  const result = await runTmux(socket, ['list-panes', '-s', '-t', `=${session}:`, '-F', format])
  if (!result.ok && !isAbsent(result)) throw unopened(result)
  if (!result.ok) return undefined
  return result.stdout.split('\n').flatMap((line) => {
    const [, spare, dead, role = '', ids = '', tag = ''] =
      /^([01]) ([01]) r([a-z0-9_-]*) ([\d $@%]+) t(.*)$/.exec(line) ?? []
    const pane = paneIn(socket, ids)
    if (!pane) return []
    const isOver = dead === '1' && tag.endsWith(` ${pane.pid}`)
    return [{ pane, isSpare: spare === '1', isOver, role }]
  })
}

function isAbsent(result: Extract<TmuxResult, { ok: false }>): boolean {
  return result.kind === 'no-server' || /^can't find session/m.test(result.stderr)
}

function commandFor(
  session: string,
  role: string,
  inSession: Place | undefined,
  inWindow?: Place,
): string[] {
  if (inWindow) return ['split-window', '-d', '-t', inWindow.pane.windowId]
  if (inSession) return ['new-window', '-d', '-n', role, '-t', `${inSession.pane.sessionId}:`]
  return ['new-session', '-d', '-s', session, '-n', role, ...SIZE]
}

async function open(
  socket: string,
  command: string[],
): Promise<RuntimePane | 'session-is-there' | 'no-room'> {
  const result = await runTmux(socket, [...command, '-P', '-F', IDS, ...SPARE])
  if (!result.ok && /^duplicate session/m.test(result.stderr)) return 'session-is-there'
  if (!result.ok && /no space for new pane/.test(result.stderr)) return 'no-room'
  if (!result.ok) throw unopened(result)
  const pane = paneIn(socket, result.stdout)
  // It says that all went well also where it could not make its socket (3.3a).
  if (!pane) throw unopened(`it could not start a server at ${socket}`)
  return pane
}
