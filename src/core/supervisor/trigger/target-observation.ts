import type { PanePresence } from '../runtime/reconcile.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Ack } from './ack.ts'
import type { ComposerSight } from './composer.ts'
import { earliestWrite, type Trigger, writeIn } from './trigger.ts'

/** Everything seen of a trigger's target at one moment. */
export type TargetObservation = RuntimeSeen & {
  pane: PanePresence
  composer: ComposerSight
  /** Whether the draft in it is only the remains of an earlier trigger. */
  isLeftover: boolean
  /** When we looked at the composer. */
  lookedAt: number
  /** When somebody last pressed a key in that pane, to the second; undefined if nobody looks at it. */
  operatorActiveAt: number | undefined
  /** Whether the harness has its own way to receive a prompt, and would accept one now. */
  channel: 'open' | 'none'
  /** Whether its channel holds the prompt. `absent`: it does not, and will not get it any more. */
  inChannel: 'held' | 'absent' | 'unknown'
  /** Hooks and transcripts only with its mark; cursors only of its thread. */
  acks: readonly Ack[]
  /** Whether its session was read to the end after the process was seen gone, or cannot be read at all. */
  records: 'read' | 'unread' | 'unreadable'
  rateLimitedUntil: number | undefined
  isThreadBlocked: boolean
  /** Whether it is being stopped only to be started again. */
  isRestarting?: boolean
}

type RuntimeSeen = Pick<
  Runtime,
  'status' | 'startedAt' | 'sessionId' | 'lastHeartbeatAt' | 'failures'
>

/** What is in the composer, from the trigger's point of view. */
export type ComposerPlace = 'empty' | 'ours' | 'other' | 'none'

/** A look that is too old counts as not having seen anything. */
export function placeOf(
  trigger: Trigger,
  observed: TargetObservation,
  isFresh: boolean,
): ComposerPlace {
  const { composer } = observed
  if (!isFresh || composer.kind === 'none') return 'none'
  if (composer.kind === 'empty' || squeezed(composer.text) === '') return 'empty'
  return isOurDraft(composer.text, trigger, observed) ? 'ours' : 'other'
}

/** tmux records keys only to the second: a key that may have come later counts as later. */
export function isTouchedSince(
  { operatorActiveAt }: Pick<TargetObservation, 'operatorActiveAt'>,
  at: number,
): boolean {
  return operatorActiveAt !== undefined && operatorActiveAt + TMUX_SECOND > at
}

function isOurDraft(draft: string, trigger: Trigger, observed: TargetObservation): boolean {
  const pastes = writeIn(trigger)?.pastes ?? 0
  const isTouched = isTouchedSince(observed, earliestWrite(trigger)) || pastes > 1
  return isDraftOf(draft, trigger.text, { isTouched })
}

/**
 * The whole text, wherever its lines were split. If nobody has touched a key since we wrote, it may also be drawn
 * slightly differently, scrolled, or folded into `[Pasted …]`: nobody else can have put it there.
 */
export function isDraftOf(draft: string, text: string, by: { isTouched: boolean }): boolean {
  const [seen, ours] = [squeezed(draft), squeezed(text)]
  if (seen === ours) return true
  if (by.isTouched) return false
  if (/^\[Pasted[^[\]]*\]$/i.test(seen)) return true
  const isWhole = seen.startsWith(ours.slice(0, LONGEST_HEAD)) && seen.length < ours.length * 1.5
  const isScrolled = seen.length >= LEAST_TAIL && ours.endsWith(seen)
  return (isWhole && seen.endsWith(ours.slice(-LEAST_TAIL))) || isScrolled
}

/** Whether a draft begins like ours, whatever follows. */
export function beginsAsOurs(draft: string, { text }: Trigger): boolean {
  return squeezed(draft).startsWith(squeezed(text).slice(0, LONGEST_HEAD))
}

/** Whether a draft is what an earlier trigger left behind, and nobody has touched a key since. */
export function isLeftOf(
  draft: string,
  earlier: Trigger,
  seen: Pick<TargetObservation, 'operatorActiveAt'>,
): boolean {
  const isTouched = isTouchedSince(seen, earliestWrite(earlier))
  return earlier.state === 'failed' && !isTouched && beginsAsOurs(draft, earlier)
}

const TMUX_SECOND = 1_000
/** The mark in its brackets. */
const LONGEST_HEAD = 15
const LEAST_TAIL = 24

function squeezed(text: string): string {
  return text.replace(/\s+/g, '')
}
