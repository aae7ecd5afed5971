import { randomBytes } from 'node:crypto'
import { TrailBossError } from '../../core/errors.ts'
import type { Pane } from '../../core/pane.ts'
import type { Cursor } from '../../core/screen/screen.ts'
import { runTmux } from '../exec.ts'
import { type GuardAnswer, runGuarded, type SeenPane } from './pane-guard.ts'

export type WriteResult =
  | { kind: 'sent' }
  /** Nothing was written. */
  | { kind: 'refused'; why: WriteRefusal }
  /** tmux failed or did not answer in time: we cannot conclude anything. */
  | { kind: 'unknown'; why: string }

type WriteRefusal =
  | 'gone'
  | 'dead'
  | 'in-mode'
  | 'input-off'
  | 'synchronized'
  /** A pane has that id, but it is not the intended one. */
  | 'other-pane'
  /** It no longer shows what was seen. */
  | 'changed'
  /** tmux was not reached, or gave up before it wrote. */
  | `no-tmux: ${string}`

/** The only keys that we ever press. */
export type WriteKey = 'Enter' | 'C-c'

/**
 * Puts text into the pane as one bracketed paste, without an Enter after it. A program that has not requested
 * bracketed pastes gets the bare text, including line breaks: the caller must have seen its composer and its
 * cursor.
 */
export async function pasteInto(target: Pane, text: string, cursor?: Cursor): Promise<WriteResult> {
  requirePasteable(text)
  const buffer = `trailboss-${randomBytes(8).toString('hex')}`
  const answer = await runGuarded(target, 'quiet', {
    first: ['load-buffer', '-b', buffer, '-'],
    input: text,
    command: `paste-buffer -p -r -d -b ${buffer} -t ${target.id}`,
    otherwise: `delete-buffer -b ${buffer}`,
    cursor,
  })
  if (answer.kind === 'unknown') await runTmux(target.socket, ['delete-buffer', '-b', buffer])
  return resultOf(target, answer, cursor)
}

/**
 * Presses one key. In a dialog it would be an answer: the caller must have seen the cursor, and that there is
 * no dialog.
 */
export async function pressKey(target: Pane, key: WriteKey, cursor?: Cursor): Promise<WriteResult> {
  if (!KEYS.includes(key)) throw new TrailBossError('INTERNAL', `"${key}" is never pressed.`)
  const command = `send-keys -t ${target.id} ${key}`
  return resultOf(target, await runGuarded(target, 'quiet', { command, cursor }), cursor)
}

const KEYS: readonly WriteKey[] = ['Enter', 'C-c']

// The longest prompt and its mark. Up to this size, the tmux client has all of it at once: if we are killed, it
// pastes the whole text or nothing.
const MOST_BYTES = 65 * 1_024
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f]/

/** The text is already clean. If it were not, tmux 3.3a would let the end of a bracketed paste through. */
function requirePasteable(text: string): void {
  const bytes = Buffer.byteLength(text)
  const fault =
    (bytes === 0 && 'is empty') ||
    (bytes > MOST_BYTES && `has ${bytes} bytes, and ${MOST_BYTES} are the most`) ||
    (CONTROL.test(text) && 'has a control character in it') ||
    (!text.isWellFormed() && 'is not Unicode')
  if (fault) throw new TrailBossError('INTERNAL', `A text to be pasted ${fault}.`)
}

function resultOf(target: Pane, answer: GuardAnswer, cursor: Cursor | undefined): WriteResult {
  if (answer.kind === 'done') return { kind: 'sent' }
  if (answer.kind === 'unknown') return answer
  if (answer.kind === 'not-run') return { kind: 'refused', why: `no-tmux: ${answer.why}` }
  const why = refusalIn(target, answer.seen, cursor)
  return why ? { kind: 'refused', why } : { kind: 'unknown', why: 'tmux was asked too late' }
}

function refusalIn(
  target: Pane,
  seen: SeenPane | 'no-server',
  cursor: Cursor | undefined,
): WriteRefusal | undefined {
  if (seen === 'no-server' || seen.pid === undefined) return 'gone'
  if (seen.server !== target.server || seen.pid !== target.pid) return 'other-pane'
  if (seen.isDead) return 'dead'
  if (seen.isInMode) return 'in-mode'
  if (seen.isInputOff) return 'input-off'
  if (seen.isSynchronized) return 'synchronized'
  return cursor && !isSameCursor(cursor, seen.cursor) ? 'changed' : undefined
}

function isSameCursor(a: Cursor, b: Cursor): boolean {
  return a.x === b.x && a.y === b.y && a.visible === b.visible
}
