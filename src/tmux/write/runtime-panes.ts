import { isAbsolute } from 'node:path'
import { TrailBossError } from '../../core/errors.ts'
import type { Pane } from '../../core/pane.ts'
import { isAlive } from '../../process/process-state.ts'
import { sourceText } from '../conf/source-text.ts'
import { type RunCommands, runCommands, runTmux, type TmuxResult } from '../exec.ts'
import { answerOf, CLOCK, guardOf, refusal, runGuarded } from './pane-guard.ts'
import { IDS, makeSparePane, paneIn, type RuntimePane, TAG, unopened } from './spare-pane.ts'

/** What is to run in a pane: an argument list, never a line for a shell. */
export type PaneLaunch = {
  socket: string
  /** The pane is tagged with it in the same go, so that it is found even if the answer to its start is lost. */
  runtimeId: string
  workspace: string
  role: string
  argv: readonly string[]
  env: Readonly<Record<string, string>>
  /** An absolute path. Where it is not there, the program is not started and the pane dies. */
  cwd: string
  /** The pane that it takes the place of, if that is still there. */
  instead?: Pane | undefined
}

/** How a pane is. Only a server that answered, or one that is gone, can have a pane missing. */
export type RuntimePaneState =
  | { kind: 'alive' }
  /** How it ended is known a moment later than that it did. */
  | { kind: 'dead'; status?: number; signal?: number }
  | { kind: 'missing' }
  /** There is a pane with that id, and another process in it. */
  | { kind: 'other' }
  | { kind: 'unreachable'; why: string }

/** How the panes that were asked for are, and all that live and are tagged as some runtime's. */
export type RuntimePanes = {
  /** False when no tmux server runs there. */
  hasServer: boolean
  states: RuntimePaneState[]
  tagged: { runtimeId: string; pane: Pane }[]
}

export type KillResult =
  | { kind: 'killed' }
  /** Nothing was killed: the pane is not there, or another one has its id. */
  | { kind: 'refused'; why: 'gone' | 'other-pane' }
  /** tmux failed or did not answer in time: nothing may be concluded. */
  | { kind: 'unknown'; why: string }

/** The name of a workspace's tmux session. Throws `BAD_REQUEST` for a name that cannot be one. */
export function runtimeSession(workspace: string): string {
  return `agents_${requireName('workspace', workspace)}`
}

/**
 * Starts a program in a pane of its role's window: where the last one ended, if it did, so that nobody's view moves. The pane stays when the program ends, so that its
 * exit status can be read. Throws `BAD_REQUEST`, or `TMUX_UNREACHABLE`.
 */
export async function openPane(launch: PaneLaunch): Promise<RuntimePane> {
  const { socket, workspace, role, instead } = launch
  requireLaunchable(launch)
  const spare = await makeSparePane(socket, runtimeSession(workspace), requireName('role', role))
  // Before the start, so that the program has the whole window from its first moment.
  if (instead && instead.id !== spare.id) await killPane(instead)
  // Over its input: arguments of a process can be read by everybody, and tmux takes no more than 16 KB of them.
  const result = await runTmux(socket, ['source-file', '-'], { input: startOf(spare, launch) })
  const [, ids = ''] = (result.ok && /^DONE (.*)$/m.exec(result.stdout)) || []
  const pane = paneIn(socket, ids)
  if (pane) return pane
  const answer = answerOf(spare, result)
  throw unopened(answer.kind === 'unknown' ? answer.why : 'the pane went away meanwhile')
}

/** How these panes of one server are, in one look. */
export async function readPanes(
  socket: string,
  panes: readonly Pane[],
  run: RunCommands = runCommands,
): Promise<RuntimePanes> {
  const look = async (): Promise<RuntimePanes> => {
    const result = await run(socket, [['list-panes', '-a', '-F', STATE]])
    const states = panes.map((pane) => stateOf(pane, result))
    const hasServer = result.ok || result.kind !== 'no-server'
    return { hasServer, states, tagged: result.ok ? taggedIn(socket, rowsIn(result.stdout)) : [] }
  }
  const seen = await look()
  const [unexplained] = panes.filter((_, index) => isUnexplained(seen.states[index]))
  if (!unexplained) return seen
  haveServerReap(unexplained.server)
  return look()
}

/** Ends exactly this pane with what runs in it: never another one, and never a window or a session. */
export async function killPane(pane: Pane): Promise<KillResult> {
  const answer = await runGuarded(pane, 'identity', { command: `kill-pane -t ${pane.id}` })
  if (answer.kind === 'done') return { kind: 'killed' }
  if (answer.kind === 'unknown') return answer
  const { seen } = answer
  if (seen === 'no-server' || seen.pid === undefined) return { kind: 'refused', why: 'gone' }
  const isSame = seen.server === pane.server && seen.pid === pane.pid
  return isSame
    ? { kind: 'unknown', why: 'tmux was asked too late' }
    : { kind: 'refused', why: 'other-pane' }
}

// All that comes from outside is a parameter. tmux would start it elsewhere if the directory is not there.
const START = 'cd -- "$1" && shift && exec "$@"'

function startOf(spare: RuntimePane, { runtimeId, argv, env, cwd }: PaneLaunch): string {
  const at = ['-t', spare.id]
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const program = ['--', '/bin/sh', '-c', START, 'sh', cwd, ...argv]
  return [
    sourceText(CLOCK),
    `${sourceText(['if-shell', '-F', ...at, guardOf(spare, 'identity')])} {`,
    sourceText(['respawn-pane', '-k', ...at, ...variables, ...program]),
    sourceText(['set-option', '-pF', ...at, TAG, `${runtimeId} #{pane_pid}`]),
    sourceText(['display-message', '-p', ...at, `DONE ${IDS}`]),
    `} { ${refusal(spare)} }`,
    '',
  ].join('\n')
}

// Numbers and ids only, and last what anybody could set. How it ended is empty where it did not; before 3.3
// there is no signal.
const STATE = `#{pid} #{pane_id} #{pane_pid} #{?pane_dead,1,0} s#{pane_dead_status} g#{pane_dead_signal} t#{${TAG}}`
const STATE_ROW = /^(\d+) (%\d+) (\d+) ([01]) s(\d*) g(\d*) t(.*)$/

type Row = ReturnType<typeof rowsIn>[number]

function rowsIn(stdout: string) {
  return stdout.split('\n').flatMap((line) => {
    const [, server, id, pid, dead, status, signal, tag = ''] = STATE_ROW.exec(line) ?? []
    return id ? [{ server: Number(server), id, pid: Number(pid), dead, status, signal, tag }] : []
  })
}

function taggedIn(socket: string, rows: readonly Row[]): RuntimePanes['tagged'] {
  return rows.flatMap(({ tag, dead, server, id, pid }) => {
    const [runtimeId = '', ofPid] = tag.split(' ')
    const isOurs = dead === '0' && isTag(runtimeId) && ofPid === String(pid)
    return isOurs ? [{ runtimeId, pane: { socket, server, id, pid } }] : []
  })
}

function isTag(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text)
}

function stateOf(pane: Pane, result: TmuxResult): RuntimePaneState {
  if (!result.ok) {
    const isGone = result.kind === 'no-server' && !isAlive(pane.server)
    return isGone
      ? { kind: 'missing' }
      : { kind: 'unreachable', why: result.stderr.trim() || result.kind }
  }
  const rows = rowsIn(result.stdout)
  const [first] = rows
  if (!first) return { kind: 'unreachable', why: 'tmux gave an answer that makes no sense' }
  if (first.server !== pane.server) {
    return !isAlive(pane.server)
      ? { kind: 'missing' }
      : { kind: 'unreachable', why: 'another tmux server has taken its socket' }
  }
  const row = rows.find(({ id }) => id === pane.id)
  if (!row) return { kind: 'missing' }
  if (row.pid !== pane.pid) return { kind: 'other' }
  if (row.dead === '0') return { kind: 'alive' }
  return {
    kind: 'dead',
    ...(row.status ? { status: Number(row.status) } : {}),
    ...(row.signal ? { signal: Number(row.signal) } : {}),
  }
}

function isUnexplained(state: RuntimePaneState | undefined): boolean {
  return state?.kind === 'dead' && state.status === undefined && state.signal === undefined
}

/**
 * With libutempter, as Debian builds it, tmux is deaf to its children for the moment in which it takes note
 * that a terminal has closed (3.3a); then it does not learn how the program ended until another one ends.
 */
function haveServerReap(serverPid: number): void {
  try {
    process.kill(serverPid, 'SIGCHLD')
  } catch {
    // It has ended meanwhile, which the next look shows.
  }
}

function requireLaunchable({ runtimeId, argv, env, cwd }: PaneLaunch): void {
  const [program = ''] = argv
  const names = Object.keys(env)
  const fault =
    (!isTag(runtimeId) && 'A runtime has an id that is none.') ||
    (program === '' && 'A launch command has no words.') ||
    (program.startsWith('-') && 'A launch command begins with a dash.') ||
    (!isAbsolute(cwd) && `The directory ${cwd} is not an absolute path.`) ||
    (names.some((name) => !/^[A-Za-z_]\w*$/.test(name)) && 'A variable has a name that is none.') ||
    ([cwd, ...argv, ...Object.values(env)].some((word) => word.includes('\0')) &&
      'A launch command has a NUL in it.')
  if (fault) throw new TrailBossError('BAD_REQUEST', fault)
}

/** In a target of tmux, a dot and a colon would be more than characters. */
function requireName(what: string, name: string): string {
  if (/^[a-z0-9_-]{1,40}$/.test(name)) return name
  throw new TrailBossError('BAD_REQUEST', `"${name}" cannot be the name of a ${what}.`, {
    hint: 'A name has up to 40 of these: a-z, 0-9, - and _.',
  })
}
