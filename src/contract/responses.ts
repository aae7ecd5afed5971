import type { DiagnosisKind } from '../core/monitor/diagnosis.ts'
import type { StallStage } from '../core/monitor/stall.ts'
import type { Attention } from '../core/monitor/watched.ts'
import type { PaneRef } from '../core/pane.ts'
import type { Shows } from '../core/screen/screen-rule.ts'
import type { Signal } from '../core/screen/signals.ts'
import type { Ask, Reason, Source } from '../core/session/event.ts'
import type { Subject } from '../core/session/subject.ts'
import type { WaitLabel } from '../core/session/wait-label.ts'

/** The shapes that scripts rely on. Fields are added, never taken away. */

export type SessionState = 'stuck' | 'working' | 'ended' | 'unknown'

export type QueueItem = {
  session: string
  harness: string
  /** Left out by a daemon that was started before an upgrade. */
  about?: Subject
  /** What is watched, where the harness is only `program`. */
  program?: string
  reason: Reason
  /** What people read instead: what kind of wait it is. */
  label: WaitLabel
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

/** Head first; items that cool down come last. `working`: how many sessions need nobody now. */
export type QueueView = { version: number; items: QueueItem[]; working: number }

export type SessionView = {
  session: string
  harness: string
  program?: string
  state: SessionState
  reason: Reason | null
  /** Null unless it is stuck. */
  label: WaitLabel | null
  since: number | null
  pane: PaneRef | null
  cwd: string | null
  pid: number | null
  headless: boolean
}

export type SessionsView = { sessions: SessionView[] }

export type Warning = {
  /** What it is about; `daemon` for everything that has no kind of its own. */
  kind: 'daemon' | 'port' | 'database' | 'damaged-rows'
  text: string
}

export type StatusView = {
  daemon: { running: boolean; pid: number | null; version: string | null; startedAt: number | null }
  stuck: number
  ready: number
  working: number
  /** How many of the stuck ones wait for what. */
  labels: Partial<Record<WaitLabel, number>>
  /** What is not as it should be, one sentence each; empty when all is well. */
  warnings: string[]
  /** The kind of each warning, in the same order; absent from daemons of before. */
  warningKinds?: Warning['kind'][]
  /** The TCP port that it was to listen on, and whether it does; null for none. */
  tcp: { port: number; listening: boolean } | null
  servers: {
    socket: string
    reachable: boolean
    panes: number
    /**
     * Whether a control client is attached; else why not, and a process is started for every look. It is
     * not wanted where tmux does not bear it, or where it is switched off.
     */
    control: { connected: boolean; wanted: boolean; why: string | null }
  }[]
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
  label: WaitLabel | null
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
  /** What the monitor sees of its pane; null when it does not look there. */
  monitor: MonitoredPane | null
}

/** What the monitor sees of one pane. Times are epoch ms. */
export type MonitoredPane = {
  pane: PaneRef
  pid: number
  /** The name of the program in its foreground; of a harness, the harness. */
  program: string
  /** Null: no session is known for it yet. */
  harness: string | null
  session: string | null
  state: SessionState | null
  attention: Attention
  signal: Signal
  /** The screen rule that fits, and what it shows; null when none does. */
  rule: string | null
  shows: Shows | null
  /** Looks in a row that were like the one before, and what that makes of it. */
  identical: number
  stall: StallStage
  unchangedSince: number | null
  diagnosis: { kind: DiagnosisKind; sentence: string } | null
  lookedAt: number | null
  nextLookAt: number
  title: string | null
}

export type MonitorView = { panes: MonitoredPane[] }

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
