import type { Ask, PaneRef, Reason, Source } from '../core/event.ts'

/** The shapes that scripts rely on. Fields are added, never taken away. */

export type SessionState = 'stuck' | 'working' | 'ended' | 'unknown'

export type QueueItem = {
  session: string
  harness: string
  reason: Reason
  /** Epoch ms, since when it is in the queue: a later ask of the same wait leaves it as it is. */
  since: number
  /** False while it cools down after a skip. */
  ready: boolean
  /** Epoch ms at which the cooldown ends; null when it is ready. */
  readyAt: number | null
  /** Null: the session runs in no pane we know of. It is listed, and never guessed. */
  pane: PaneRef | null
  cwd: string | null
  /** The last segment of `cwd`, safe to show. */
  project: string | null
  ask: Ask
}

/** Head first; items that cool down come last. */
export type QueueView = { version: number; items: QueueItem[] }

export type SessionView = {
  session: string
  harness: string
  state: SessionState
  reason: Reason | null
  since: number | null
  pane: PaneRef | null
  cwd: string | null
  pid: number | null
  headless: boolean
}

export type SessionsView = { sessions: SessionView[] }

export type StatusView = {
  daemon: { running: boolean; pid: number | null; version: string | null; startedAt: number | null }
  stuck: number
  ready: number
  working: number
  /** What is not as it should be, one sentence each; empty when all is well. */
  warnings: string[]
  servers: { socket: string; reachable: boolean; panes: number }[]
}

export type EvidenceView = {
  source: Source
  claim: string
  at: number
  detail: string | null
  decided: boolean
}

export type ExplainView = {
  session: string
  harness: string
  /** What a human calls the harness. */
  title: string
  state: SessionState
  reason: Reason | null
  /** Which evidence decided and why, in a sentence or two. */
  why: string
  /** Epoch ms, since when the deciding evidence says so; null when nothing was claimed yet. */
  since: number | null
  /** Null unless it is stuck. */
  ask: Ask | null
  /** Whether it is in the queue, since when, and until when it cools down there; null when it does not. */
  listed: boolean
  listedSince: number | null
  readyAt: number | null
  headless: boolean
  /** It has turns, all from before it was started again. */
  resumed: boolean
  pane: PaneRef | null
  cwd: string | null
  pid: number | null
  /** Newest first. */
  because: EvidenceView[]
  /** What is not known of it, and what that means; one sentence each. */
  missing: string[]
}

/** All explanations: the queue first, head first. */
export type ExplainAllView = { sessions: ExplainView[] }

/** The answer to a skip: what was moved to the tail, and what is the head now. */
export type SkipView = { skipped: QueueItem | null; head: QueueItem | null }

/** RFC 9457, with our code and what to do next. */
export type Problem = {
  type: string
  title: string
  status: number
  code: string
  detail: string
  hint?: string
}
