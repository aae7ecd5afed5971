import type { DecisionKind } from '../core/decision/decision.ts'
import type { DiagnosisKind } from '../core/monitor/diagnosis.ts'
import type { StallStage } from '../core/monitor/stall.ts'
import type { Attention } from '../core/monitor/watched.ts'
import type { PaneRef } from '../core/pane.ts'
import type { Shows } from '../core/screen/screen-rule.ts'
import type { Signal } from '../core/screen/signals.ts'
import type { Ask, Reason, Source } from '../core/session/event.ts'
import type { Subject } from '../core/session/subject.ts'
import type { WaitLabel } from '../core/session/wait-label.ts'

/** The shapes that scripts rely on. Fields are added, never removed. */

export type SessionState = 'stuck' | 'working' | 'ended' | 'unknown'

/** What people recognise a session by. All of it is safe to show. */
export type SessionIdentity = {
  /** The name of its git repository, also in a linked worktree; outside of any, the last segment of `cwd`. */
  project: string | null
  /** The branch in its directory, or the start of the commit. */
  branch?: string
  /** The directory of its linked worktree, without the path. */
  worktree?: string
  /** Its tmux session and window: `work:api`, or `work:3` if nobody named the window. */
  window?: string
  /** What its harness calls it, if it says so. */
  title?: string
}

export type QueueItem = SessionIdentity & {
  session: string
  harness: string
  /** Missing from a daemon that was started before an upgrade. */
  about?: Subject
  /** The watched program, if the harness is only `program`. */
  program?: string
  /** The agent of a workspace that it is, or is about: `ranch/lead`. */
  agent?: string
  reason: Reason
  /** The kind of wait, for people to read instead of the reason. */
  label: WaitLabel
  /** Epoch ms at which it entered the queue: a later ask of the same wait does not change it. */
  since: number
  /** False while it cools down after a skip, and when it is dismissed. */
  ready: boolean
  /** Epoch ms at which the cooldown ends; null when it does not cool down. */
  readyAt: number | null
  /** Epoch ms at which the operator dismissed it; such items are only in the answer to `?all=1`. */
  dismissedAt?: number
  /** Null: the session runs in no pane we know. We list it, and never guess its pane. */
  pane: PaneRef | null
  /** It runs in the background: the command that shows it in a terminal. The keys run it in a window of their own. */
  open?: string[]
  /** The decision that it is about, to be answered through us. `cut`: the ask is only the beginning of it. */
  decision?: { kind: DecisionKind; options: string[]; more: number; cut?: boolean }
  cwd: string | null
  ask: Ask
}

/** Head first; items that cool down come last. `working`: how many sessions need nobody now. */
export type QueueView = {
  version: number
  items: QueueItem[]
  working: number
  /** Whether the operator may reply from the popup; missing from older daemons. */
  reply?: boolean
}

/** The identity of a session that has ended is left out, and by a daemon that was started before an upgrade. */
export type SessionView = Partial<SessionIdentity> & {
  session: string
  harness: string
  program?: string
  agent?: string
  state: SessionState
  /** Whether it is in the queue. Left out by a daemon that was started before an upgrade. */
  listed?: boolean
  reason: Reason | null
  /** Null unless it is stuck. */
  label: WaitLabel | null
  /** Epoch ms at which the operator dismissed it, if it still waits. */
  dismissedAt?: number
  since: number | null
  pane: PaneRef | null
  /** The name under which its harness runs it in the background. */
  job?: string
  cwd: string | null
  pid: number | null
  headless: boolean
}

/** Whether this tmux client goes to the next head by itself after an answer. */
export type DrainView = { client: string; draining: boolean }

export type SessionsView = { sessions: SessionView[] }

export type Warning = {
  /** What it is about; `daemon` for everything without a kind of its own. */
  kind: 'daemon' | 'config' | 'port' | 'database' | 'damaged-rows' | 'notify'
  text: string
}

export type StatusView = {
  daemon: { running: boolean; pid: number | null; version: string | null; startedAt: number | null }
  stuck: number
  ready: number
  /** How many stuck sessions the operator dismissed; missing from older daemons. */
  dismissed?: number
  /** Where the next key goes, else the oldest ready item. Left out if nothing is ready, and by older daemons. */
  head?: QueueItem
  working: number
  /** How many stuck sessions there are per kind of wait. */
  labels: Partial<Record<WaitLabel, number>>
  /** What is wrong, one sentence each; empty when all is well. */
  warnings: string[]
  /** The kind of each warning, in the same order; missing from older daemons. */
  warningKinds?: Warning['kind'][]
  /** Settings in config.json that the daemon does not use yet; missing from older daemons. */
  configChanged?: string[]
  /** How many registered agents there are in each state of their life; missing from older daemons. */
  agents?: Record<string, number>
  /** The TCP port that it should listen on, and whether it does; null for none. */
  tcp: { port: number; listening: boolean } | null
  servers: {
    socket: string
    reachable: boolean
    panes: number
    /**
     * Whether a control client is attached; if not, why, and each look costs a process. It is unwanted if tmux
     * cannot handle it, or if it is switched off.
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

export type ExplainView = Omit<Partial<SessionIdentity>, 'title'> & {
  session: string
  harness: string
  agent?: string
  /** What a human calls the harness. */
  title: string
  /** What the harness calls the session; `title` in the other views. */
  sessionTitle?: string
  state: SessionState
  reason: Reason | null
  label: WaitLabel | null
  /** Which evidence decided and why, in a sentence or two. */
  why: string
  /** Epoch ms since when the deciding evidence holds; null if nothing was claimed yet. */
  since: number | null
  /** Null unless it is stuck. */
  ask: Ask | null
  /** Whether it is in the queue, since when, and until when it cools down there; null if not. */
  listed: boolean
  listedSince: number | null
  readyAt: number | null
  /** Epoch ms at which the operator dismissed it, if it still waits. */
  dismissedAt?: number
  /** The name under which its harness runs it in the background. */
  job?: string
  headless: boolean
  /** It has turns, all from before its restart. */
  resumed: boolean
  pane: PaneRef | null
  cwd: string | null
  pid: number | null
  /** Newest first. */
  because: EvidenceView[]
  /** What we do not know about it, and what that means; one sentence each. */
  missing: string[]
  /** What the monitor sees in its pane; null if it does not look there. */
  monitor: MonitoredPane | null
}

/** What the monitor sees in one pane. Times are epoch ms. */
export type MonitoredPane = {
  pane: PaneRef
  pid: number
  /** The name of the foreground program; for a harness, the harness. */
  program: string
  /** Null: no session is known for it yet. */
  harness: string | null
  session: string | null
  state: SessionState | null
  attention: Attention
  signal: Signal
  /** The screen rule that fits, and what it shows; null if none fits. */
  rule: string | null
  shows: Shows | null
  /** How many looks in a row were identical to the one before, and the resulting diagnosis. */
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

/** The answer to a dismissal: what was dismissed, or recalled, and what is the head now. */
export type DismissView = { dismissed: QueueItem | null; head: QueueItem | null }

/** What `GET /wait` waits for. Stuck means in the queue. */
export const WAIT_STATES = ['stuck', 'working', 'ended', 'any-stuck'] as const
export type WaitState = (typeof WAIT_STATES)[number]

/** `happened`: it is so now; if not, the time was up. `session` is null if there is none, or it is forgotten. */
export type WaitView = { happened: boolean; item: QueueItem | null; session: SessionView | null }

/** RFC 9457, with our code and what to do next. */
export type Problem = {
  type: string
  title: string
  status: number
  code: string
  detail: string
  hint?: string
}
