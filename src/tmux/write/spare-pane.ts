import { TrailBossError } from '../../core/errors.ts'
import type { Pane } from '../../core/pane.ts'
import { runCommands, runTmux, type TmuxResult } from '../exec.ts'

/** A pane that the supervisor made, and where it stands. */
export type RuntimePane = Pane & { sessionId: string; windowId: string; index: number }

/**
 * On our own panes, with the pid of the process: a pane that somebody respawns keeps its options, but is no
 * longer ours.
 */
export const TAG = '@trailboss_runtime'

/** On the window of a role, because the operator may rename it. */
const ROLE_OPTION = '@trailboss_role'

export const IDS = '#{pid} #{session_id} #{window_id} #{pane_id} #{pane_pid} #{pane_index}'
const IDS_ROW = /^(\d+) (\$\d+) (@\d+) (%\d+) (\d+) (\d+)$/
// Nothing that a runtime is started with reads like this.
const IS_SPARE = '#{==:#{pane_start_command},sleep 61}'
const SPARE = ['sleep', '61']
// Wide enough for a dialog; once the operator's terminal shows it, it takes that size.
const SIZE = ['-x', '160', '-y', '48']

/**
 * A pane in which to start a program, in the window of this role in this tmux session: the one in which ours
 * has exited, or a new one. Creates window and session if they do not exist. The window keeps a program that
 * has exited; setting that option after the start of the program may be too late. Nobody's view moves.
 */
export async function makeSparePane(
  socket: string,
  session: string,
  role: string,
): Promise<RuntimePane> {
  const places = await placesIn(socket, session)
  const ofRole = places?.filter((place) => place.role === role) ?? []
  // Left by an interrupted start, or by a program of ours that has exited.
  const left = ofRole.find(({ isSpare }) => isSpare) ?? ofRole.find(({ isOver }) => isOver)
  if (left) return left.pane
  const beside = await open(socket, commandFor(session, role, places?.[0], ofRole[0]))
  // The operator's own panes may leave no room.
  const pane =
    beside === 'no-room' ? await open(socket, commandFor(session, role, places?.[0])) : beside
  if (pane === 'no-room') throw unopened('there is no room for it')
  // Another role created it first.
  if (pane === 'session-is-there') return makeSparePane(socket, session, role)
  const options = [
    ['set-option', '-w', '-t', pane.windowId, 'remain-on-exit', 'on'],
    ['set-option', '-w', '-t', pane.windowId, ROLE_OPTION, role],
  ]
  const set = await runCommands(socket, options)
  if (!set.ok) throw unopened(set)
  return pane
}

/** Turns tmux's answer to a request to open a pane into an error. */
export function unopened(why: string | Extract<TmuxResult, { ok: false }>): TrailBossError {
  const reason = typeof why === 'string' ? why : why.stderr.trim() || why.kind
  return new TrailBossError('TMUX_UNREACHABLE', `tmux did not open a pane for it: ${reason}.`, {
    hint: 'See what tmux says itself: tmux ls. Then try again.',
  })
}

/** Parses the ids of a pane in the format of `IDS`. */
export function paneIn(socket: string, row: string): RuntimePane | undefined {
  const [, server, sessionId, windowId, id, pid, index] = IDS_ROW.exec(row.trim()) ?? []
  if (!sessionId || !windowId || !id) return undefined
  const numbers = { server: Number(server), pid: Number(pid), index: Number(index) }
  return { socket, sessionId, windowId, id, ...numbers }
}

/** `isOver`: the program that we started in it has exited. */
type Place = { pane: RuntimePane; isSpare: boolean; isOver: boolean; role: string }

/** Undefined if there is no such session. Without the colon, `list-panes` (3.3a) takes any session for it. */
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
  // tmux reports success even if it could not create its socket (3.3a).
  if (!pane) throw unopened(`it could not start a server at ${socket}`)
  return pane
}
