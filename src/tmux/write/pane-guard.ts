import { TrailBossError } from '../../core/errors.ts'
import type { Pane } from '../../core/pane.ts'
import type { Cursor } from '../../core/screen/screen.ts'
import { isAlive } from '../../process/process-state.ts'
import { runTmux, type TmuxResult } from '../exec.ts'

/** What tmux saw when it refused. */
export type SeenPane = {
  server: number
  /** Undefined if there is no pane with that id. */
  pid: number | undefined
  isDead: boolean
  isInMode: boolean
  isInputOff: boolean
  isSynchronized: boolean
  cursor: Cursor
}

export type GuardAnswer =
  | { kind: 'done' }
  | { kind: 'refused'; seen: SeenPane | 'no-server' }
  /** tmux was not reached, or gave up before the act: nothing was done, and nothing is known of the pane. */
  | { kind: 'not-run'; why: string }
  /** tmux failed, or did not answer in time: it may or may not have been done. */
  | { kind: 'unknown'; why: string }

/** `identity`: it is that pane. `quiet`: also, input reaches its program and no other. */
export type GuardedFor = 'identity' | 'quiet'

const IDENTITY = '#{pid} #{pane_id} #{pane_pid}'
const FLAGS =
  '#{?pane_dead,1,0} #{?pane_in_mode,1,0} #{?pane_input_off,1,0} #{?pane_synchronized,1,0}'
const CURSOR = '#{cursor_x} #{cursor_y} #{?cursor_flag,1,0}'
const REFUSED = /^REFUSED (\d+) (%\d+)? (\d+)? ([01]) ([01]) ([01]) ([01]) (\d*) (\d*) ([01])$/m
const TIMEOUT_MS = 2_000

/**
 * Runs `command` if the pane passes the check, in one go: tmux does nothing else between the check and the
 * command. `first` runs before it and may read `input`; `otherwise` runs if the check fails. With `cursor`, the
 * check also requires that the cursor is still where it was seen: a program that shows something else has moved
 * or hidden it.
 */
export async function runGuarded(
  target: Pane,
  guardedFor: GuardedFor,
  guarded: {
    command: string
    first?: readonly string[]
    input?: string
    otherwise?: string
    cursor?: Cursor | undefined
  },
): Promise<GuardAnswer> {
  const { command, first = [], input, otherwise, cursor } = guarded
  const refused = [...(otherwise ? [otherwise] : []), refusal(target)].join(' ; ')
  const words = [
    ...(first.length > 0 ? [...first, ';'] : []),
    ...[...CLOCK, ';'],
    ...['if-shell', '-F', '-t', target.id, guardOf(target, guardedFor, cursor)],
    ...[`${command} ; display-message -p DONE`, refused],
  ]
  const options = { timeoutMs: TIMEOUT_MS, ...(input === undefined ? {} : { input }) }
  return answerOf(target, await runTmux(target.socket, words, options))
}

/** Sets the option from which `#{T:…}` reads the time. */
export const CLOCK = ['set-option', '-gq', '@trailboss_now', '%s'] as const

/** The condition as a format. Validates each part of the pane that goes into it. It needs `CLOCK` before it. */
export function guardOf(
  target: Pane,
  guardedFor: GuardedFor,
  cursor: Cursor | undefined = undefined,
): string {
  requireIdentity(target)
  const { server, id, pid } = target
  const isQuiet = guardedFor === 'quiet'
  const fields = [IDENTITY, ...(isQuiet ? [FLAGS] : []), ...(cursor ? [CURSOR] : [])].join(' ')
  const wanted = [
    ...[server, id, pid],
    ...(isQuiet ? ['0 0 0 0'] : []),
    ...(cursor ? [Number(cursor.x), Number(cursor.y), cursor.visible ? 1 : 0] : []),
  ].join(' ')
  // A server that hung runs the command when it recovers (3.3a), although its client gave up long ago.
  const lastSecond = Math.floor((Date.now() + TIMEOUT_MS) / 1_000) - 1
  return `#{&&:#{==:${fields},${wanted}},#{e|<=|:#{T:@trailboss_now},${lastSecond}}}`
}

/** The command that reports why not. */
export function refusal({ id }: Pane): string {
  return `display-message -p -t ${id} 'REFUSED ${IDENTITY} ${FLAGS} ${CURSOR}'`
}

export function answerOf(target: Pane, result: TmuxResult): GuardAnswer {
  if (!result.ok) {
    // A socket where nobody listens may have been removed under a live server.
    const isGone = result.kind === 'no-server' && !isAlive(target.server)
    if (isGone) return { kind: 'refused', seen: 'no-server' }
    const why = result.stderr.trim() || FAILURES[result.kind]
    return { kind: isNotRun(result) ? 'not-run' : 'unknown', why }
  }
  if (/^DONE$/m.test(result.stdout)) return { kind: 'done' }
  const row = REFUSED.exec(result.stdout)
  if (row === null) return { kind: 'unknown', why: 'tmux gave an answer that makes no sense' }
  const [, server, id, pid, dead, mode, off, synchronized, x, y, visible] = row
  return {
    kind: 'refused',
    seen: {
      server: Number(server),
      // If there is no such pane, tmux prints the one that a client looks at, or none.
      pid: id === target.id && pid !== undefined ? Number(pid) : undefined,
      isDead: dead === '1',
      isInMode: mode === '1',
      isInputOff: off === '1',
      isSynchronized: synchronized === '1',
      cursor: { x: Number(x), y: Number(y), visible: visible === '1' },
    },
  }
}

/**
 * Whether the command was certainly not carried out: the client did not start, the server did not take it, or the
 * text to paste never got into its buffer. The server's words are never translated (3.3a).
 */
function isNotRun({ kind, stderr }: Extract<TmuxResult, { ok: false }>): boolean {
  if (kind === 'missing' || kind === 'no-server') return true
  return kind === 'failed' && NOT_RUN.test(stderr)
}

const NOT_RUN = /^(?:access not allowed|protocol version mismatch .*|no buffer trailboss-\w+)$/m

const FAILURES = {
  missing: 'tmux is not installed, or not in PATH',
  timeout: 'tmux did not answer in time',
  'no-server': 'nobody listens at the socket of a tmux server that lives',
  failed: 'tmux failed',
} as const

function requireIdentity({ server, id, pid }: Pane): void {
  const isPid = (value: number) => Number.isSafeInteger(value) && value > 0
  if (isPid(server) && isPid(pid) && /^%\d{1,10}$/.test(id)) return
  throw new TrailBossError('INTERNAL', 'A pane to be written to has no proper identity.')
}
