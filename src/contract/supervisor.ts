import type { AuditLine } from '../core/audit.ts'
import type { Author } from '../core/bridge/message.ts'
import type { ThreadState } from '../core/bridge/thread.ts'
import type { TokenRefusal } from '../core/bridge/token.ts'
import type { PaneRef } from '../core/pane.ts'
import type { FailureCode } from '../core/supervisor/runtime/failure-code.ts'
import type { Ack } from '../core/supervisor/trigger/ack.ts'
import type { PublicStatus } from '../core/supervisor/trigger/public-status.ts'
import type { DeliveryWay, Force, TriggerState } from '../core/supervisor/trigger/trigger.ts'

/** What the supervisor answers. Fields are added, never taken away. Times are epoch ms. */

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
  /** Whether somebody typed there lately. */
  operatorBusy: boolean
  lastHeartbeatAt: number | null
  lastTriggerId: string | null
  startedAt: number | null
  /** Failures that still count, oldest first. */
  failures: number[]
  wantsRunning: boolean
  /** How it failed the last time, and why, where more than the code is known. */
  lastFailure: { code: FailureCode; why: string } | null
  openTriggers: number
}

export type RuntimesView = { runtimes: RuntimeView[] }

export type TriggerView = {
  id: string
  agent: string
  runtimeId: string
  thread: string | null
  reason: string
  state: TriggerState
  /** How it went in, or is about to. */
  via: DeliveryWay | null
  /** Why it waits or failed, and the same as a sentence, which may know more. */
  code: FailureCode | null
  sentence: string | null
  /** What showed that it arrived. */
  ack: Ack | null
  createdAt: number
  claimedAt: number | null
  settledAt: number | null
  pastes: number
  enters: number
  resumes: number
  spawns: number
  force: Force | null
  /** The trigger that said the same again after this one had failed. */
  retriedAs: string | null
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

/** A token without its secret, which nobody has but its runtime. */
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
