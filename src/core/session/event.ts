import type { PaneRef } from '../pane.ts'
import type { OwnSubject } from './subject.ts'
import type { WaitLabel } from './wait-label.ts'

/**
 * The normalized event: the one shape in which adapters, and anything else that can POST, report on
 * a session.
 *
 * What each kind claims:
 * - `started`   the session exists and waits for nothing yet; earlier evidence is void.
 * - `stuck`     it waits for the human. `stopped` ends the main thread's turn, and with it every
 *               permission of the main thread. `permission` opens one block, named by `block`; one
 *               without a name is hearsay, and ends with the next answer to anything.
 * - `unstuck`   it continues. With `block` that one permission was answered; without it, all of them.
 * - `seen`      a sign of life: it contradicts an older `stopped`, but lifts no permission.
 * - `ended`     it is gone.
 *
 * With `subagent` the claim is about that subagent alone: its permission blocks the session like any
 * other, its activity says nothing about the main thread.
 */
export type AgentEvent = {
  v: 1
  kind: EventKind
  harness: string
  session: string
  /** Epoch ms, when it happened. */
  at: number
  source: Source
  pane?: PaneRef
  pid?: number
  /** When the process `pid` started, from /proc; filled in if it is visible. */
  pidStart?: number
  cwd?: string
  transcript?: string
  reason?: Reason
  /** The kind of wait, for people. It decides nothing. */
  label?: WaitLabel
  ask?: Ask
  /** Shown after the ask: what else the human should know. */
  note?: string
  /** Tools that began and have no result, oldest first: one of them may wait for permission. */
  pending?: Ask[]
  /** With `unstuck`: the human gave it something to do, which is more than an answer. */
  prompt?: boolean
  /** Our marks in a prompt that the harness took. Never the prompt itself. */
  marks?: string[]
  block?: string
  subagent?: string
  /** No human sits in front of it, so it is never queued and never claims a pane. */
  headless?: boolean
  /** The pane belongs to somebody else and only shows where to look: it is not claimed. Without a pane: nowhere. */
  isGuest?: boolean
  /** It runs in the background: the name under which its harness shows it to a human who asks for it. */
  job?: string
  /** What was observed, for `explain`: a hook's name, a transcript line's type. */
  detail?: string
  /** What it is about in the supervisor; if absent, it is about a harness session. */
  about?: OwnSubject
}

/** It becomes a word of a command. */
export const JOB_NAME = /^\w[\w-]{0,63}$/

type EventKind = 'started' | 'stuck' | 'unstuck' | 'ended' | 'seen'

export type Source = 'hook' | 'status' | 'transcript' | 'screen' | 'process' | 'api'

/** For display only, never for order. */
export type Reason = 'permission' | 'stopped'

/** What the session wants from the human. */
export type Ask = { text: string; tool?: string; input?: unknown }

/** A second process that has the same conversation is its twin: a session with this name. */
export function twinOf(session: string, pid: number | ''): string {
  return `${session}#${pid}`
}

/** The harness's own id, for a twin as well. */
export function conversationOf(session: string): string {
  return session.replace(/#\d+$/, '')
}

/** One session across all harnesses: `<harness>:<session>`. */
export type SessionKey = string & { readonly __brand: 'SessionKey' }

export function sessionKey(harness: string, session: string): SessionKey {
  return `${harness}:${session}` as SessionKey
}

/**
 * Whether a prompt came from the supervisor. A reply has a mark, too, but it is the operator's own prompt: its mark
 * begins with a letter that no other has.
 */
export function hasOwnMark(marks: readonly string[] = []): boolean {
  return marks.some((mark) => !mark.startsWith(REPLY_LETTER))
}

export const REPLY_LETTER = 'o'
