import { isAbsolute } from 'node:path'
import { TrailBossError } from '../../core/errors.ts'
import type { Pane } from '../../core/pane.ts'
import { isAlive } from '../../process/process-state.ts'
import { type RunCommands, runCommands, runTmux, type TmuxResult } from '../exec.ts'
import { sourceText } from '../source-text.ts'
import { answerOf, CLOCK, guardOf, refusal, runGuarded } from './pane-guard.ts'
import { IDS, makeSparePane, paneIn, type RuntimePane, TAG, unopened } from './spare-pane.ts'

/** What to run in a pane: an argument list, never a line for a shell. */
export type PaneLaunch = {
  socket: string
  /** The pane gets this tag in the same command, so that we find it even if the answer to its start is lost. */
  runtimeId: string
  workspace: string
  role: string
  argv: readonly string[]
  env: Readonly<Record<string, string>>
  /** Variables of the tmux server that it does not get, unless `env` sets them; `*` at the end stands for the rest of a name. */
  withoutVariables: readonly string[]
  /** An absolute path. If it does not exist, the program does not start and the pane dies. */
  cwd: string
  /** The pane to replace, if it still exists. */
  instead?: Pane | undefined
}

/** The state of a pane. Only a server that answered, or one that is gone, can report a missing pane. */
export type RuntimePaneState =
  | { kind: 'alive' }
  /** The exit status becomes known a moment after the exit itself. */
  | { kind: 'dead'; status?: number; signal?: number }
  | { kind: 'missing' }
  /** A pane has that id, but another process is in it. */
  | { kind: 'other' }
  | { kind: 'unreachable'; why: string }

/** The states of the requested panes, and all live panes tagged for some runtime. */
export type RuntimePanes = {
  /** False if no tmux server runs there. */
  hasServer: boolean
  states: RuntimePaneState[]
  tagged: { runtimeId: string; pane: Pane }[]
}

export type KillResult =
  | { kind: 'killed' }
  /** Nothing was killed: the pane does not exist, or another one has its id. */
  | { kind: 'refused'; why: 'gone' | 'other-pane' }
  /** tmux failed or did not answer in time: we cannot conclude anything. */
  | { kind: 'unknown'; why: string }

/** The name of a workspace's tmux session. Throws `BAD_REQUEST` for an invalid name. */
export function runtimeSession(workspace: string): string {
  return `agents_${requireName('workspace', workspace)}`
}

/**
 * Starts a program in a pane of its role's window, reusing the pane of the last one if that has exited, so that
 * nobody's view moves. The pane stays when the program exits, so that its exit status can be read. Throws
 * `BAD_REQUEST`, or `TMUX_UNREACHABLE`.
 */
export async function openPane(launch: PaneLaunch): Promise<RuntimePane> {
  const { socket, workspace, role, instead } = launch
  requireLaunchable(launch)
  const spare = await makeSparePane(socket, runtimeSession(workspace), requireName('role', role))
  // Before the start, so that the program has the whole window from the beginning.
  if (instead && instead.id !== spare.id) await killPane(instead)
  // Through its input: everybody can read the arguments of a process, and tmux accepts at most 16 KB of them.
  const result = await runTmux(socket, ['source-file', '-'], { input: startOf(spare, launch) })
  const [, ids = ''] = (result.ok && /^DONE (.*)$/m.exec(result.stdout)) || []
  const pane = paneIn(socket, ids)
  if (pane) return pane
  const answer = answerOf(spare, result)
  throw unopened('why' in answer ? answer.why : 'the pane went away meanwhile')
}

/** The state of these panes of one server, in one look. */
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

/** Ends exactly this pane with its processes: never another one, and never a window or a session. */
export async function killPane(pane: Pane): Promise<KillResult> {
  const answer = await runGuarded(pane, 'identity', { command: `kill-pane -t ${pane.id}` })
  if (answer.kind === 'done') return { kind: 'killed' }
  if ('why' in answer) return { kind: 'unknown', why: answer.why }
  const { seen } = answer
  if (seen === 'no-server' || seen.pid === undefined) return { kind: 'refused', why: 'gone' }
  const isSame = seen.server === pane.server && seen.pid === pane.pid
  return isSame
    ? { kind: 'unknown', why: 'tmux was asked too late' }
    : { kind: 'refused', why: 'other-pane' }
}

/**
 * Everything from outside is a parameter, except the checked names of variables. tmux would start it elsewhere if
 * the directory is missing.
 */
function startScript(withoutVariables: readonly string[]): string {
  const names = withoutVariables.map(requireVariable).join('|')
  const all = `env | sed -n 's/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p'`
  return [
    'cd -- "$1" || exit',
    'kept=" $2 "; shift 2',
    `for name in $(${all}); do case $kept in *" $name "*) continue;; esac`,
    `case $name in ${names || "''"}) unset "$name";; esac; done`,
    'exec "$@"',
  ].join('; ')
}

function requireVariable(name: string): string {
  if (/^[A-Z_][A-Z0-9_]*\*?$/.test(name)) return name
  throw new TrailBossError('INTERNAL', `"${name}" is not the name of a variable.`)
}

function startOf(spare: RuntimePane, launch: PaneLaunch): string {
  const { runtimeId, argv, env, cwd, withoutVariables } = launch
  const at = ['-t', spare.id]
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const script = startScript(withoutVariables)
  const kept = Object.keys(env).join(' ')
  const program = ['--', '/bin/sh', '-c', script, 'sh', cwd, kept, ...argv]
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

// Numbers and ids only, with the value that anybody could set at the end. The exit status is empty while it runs;
// before 3.3 there is no signal.
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
 * With libutempter, as Debian builds it, tmux misses its children's signals for the moment in which it records
 * that a terminal has closed (3.3a); then it does not learn how the program ended until another one ends.
 */
function haveServerReap(serverPid: number): void {
  try {
    process.kill(serverPid, 'SIGCHLD')
  } catch {
    // It has exited in the meantime, which the next look shows.
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

/** In a tmux target, a dot and a colon have a special meaning. */
function requireName(what: string, name: string): string {
  if (/^[a-z0-9_-]{1,40}$/.test(name)) return name
  throw new TrailBossError('BAD_REQUEST', `"${name}" cannot be the name of a ${what}.`, {
    hint: 'A name has up to 40 of these: a-z, 0-9, - and _.',
  })
}
