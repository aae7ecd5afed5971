import type { AuditLine } from '../core/audit.ts'
import type { Author } from '../core/bridge/message.ts'
import type { ThreadState } from '../core/bridge/thread.ts'
import type { TokenRefusal } from '../core/bridge/token.ts'
import type { PaneRef } from '../core/pane.ts'
import type { WaitLabel } from '../core/session/wait-label.ts'
import type { FailureCode } from '../core/supervisor/runtime/failure-code.ts'
import type { Ack } from '../core/supervisor/trigger/ack.ts'
import type { PublicStatus } from '../core/supervisor/trigger/public-status.ts'
import type { DeliveryWay, Force, TriggerState } from '../core/supervisor/trigger/trigger.ts'

/** The supervisor's answers. Fields are added, never removed. Times are epoch ms. */

export type RuntimeView = {
  runtimeId: string
  /** `<workspace>/<role>`. */
  agent: string
  workspace: string
  role: string
  harness: string
  status: PublicStatus
  statusSince: number
  /** The conversation, by the harness's own id; null until it is known. */
  session: string | null
  /** For people: `agents_ranch:reviewer.0`. */
  target: string
  pane: PaneRef | null
  pid: number | null
  cwd: string
  /** Whether somebody typed there recently. */
  operatorBusy: boolean
  lastHeartbeatAt: number | null
  lastTriggerId: string | null
  startedAt: number | null
  /** Failures that still count, oldest first. */
  failures: number[]
  wantsRunning: boolean
  /** Whether the configuration no longer names it. */
  removed: boolean
  /** Its last failure, and the reason if more than the code is known. */
  lastFailure: { code: FailureCode; why: string } | null
  openTriggers: number
  /** What keeps it from its work and only the operator can settle: a dialog, a question, an error; null if nothing does. */
  waits: { label: WaitLabel; ask: string } | null
  /** What it lacks without our hooks; null if it runs them, as far as we can tell. */
  hooks: HooksView | null
}

/** The end of what is in the pane of a runtime, without secrets. */
export type RuntimeLogsView = {
  agent: string
  /** `live`: it is there now. Otherwise it is what its last process left, as of `at`. Null: nothing is known. */
  screen: { at: number; live: boolean; text: string } | null
}

/** That the hooks are missing, what that costs, and the command that adds them. */
export type HooksView = { missing: string; cost: string; fix: string }

export type RuntimesView = { runtimes: RuntimeView[] }

export type TriggerView = {
  id: string
  agent: string
  runtimeId: string
  thread: string | null
  reason: string
  state: TriggerState
  /** How it was delivered, or is about to be. */
  via: DeliveryWay | null
  /** Why it waits or failed, and the same as a sentence, which may be more precise. */
  code: FailureCode | null
  sentence: string | null
  /** What confirmed its arrival. */
  ack: Ack | null
  createdAt: number
  claimedAt: number | null
  settledAt: number | null
  pastes: number
  enters: number
  resumes: number
  spawns: number
  force: Force | null
  /** The trigger that repeated this one after it had failed. */
  retriedAs: string | null
  /** The operator has dismissed it after it had failed. */
  dismissed: boolean
  /** What it says, without its mark. */
  words: string
  /** The screen that it failed on, without secrets; null if it has not failed or nothing was seen. */
  screen: string | null
  bytes: number
  sha256: string
}

export type TriggersView = { triggers: TriggerView[] }

export type ThreadView = {
  id: string
  workspace: string
  title: string
  participants: string[]
  state: ThreadState
  /** Why it is blocked; null when it is not. */
  sentence: string | null
  turnsWithoutProgress: number
  createdAt: number
  updatedAt: number
  /** How far each participant has read. */
  cursors: { agent: string; seq: number; unread: number }[]
  lastSeq: number
}

export type ThreadsView = { threads: ThreadView[] }

export type MessageView = {
  id: string
  seq: number
  thread: string
  author: Author
  to: string[]
  text: string
  findings: string[]
  progress: string | null
  at: number
}

export type MessagesView = { messages: MessageView[] }

export type AuditView = { lines: AuditLine[]; next: number | null }

/** A token without its secret, which only its runtime has. */
export type TokenView = {
  id: string
  runtimeId: string
  agent: string
  issuedAt: number
  expiresAt: number
  revokedAt: number | null
  revokedWhy: string | null
  /** Null while it is valid. */
  refusal: TokenRefusal | null
}

export type TokensView = { tokens: TokenView[] }

/** A reply that arrived. Its audit lines have its id as their trigger. */
export type ReplyView = {
  id: string
  harness: string
  session: string
  confirmedBy: Ack['kind']
  /** From the request to the proof. */
  tookMs: number
}
