import * as v from 'valibot'
import type { AuditLine } from '../core/audit.ts'
import type { PaneRef } from '../core/pane.ts'
import type { DispatchState } from '../core/supervisor/dispatch/dispatch.ts'
import type { TriagePolicy } from '../core/supervisor/policy.ts'

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const person = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))

/** A task for a new agent. */
export const DispatchBody = v.strictObject({
  name,
  harness: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
  /** Within the directories of a workspace. */
  cwd: v.pipe(v.string(), v.minLength(1), v.maxLength(4_096), v.regex(/^[^\0]*$/, 'no NUL')),
  prompt: v.string(),
  /** An agent that gets the result; its role alone is enough. Null for none; absent: as the workspace says. */
  reviewer: v.optional(v.nullable(name)),
  by: v.optional(person),
})
export type DispatchBody = v.InferOutput<typeof DispatchBody>

/** Which dispatch, and who decided, for the audit. */
export const DispatchNameBody = v.strictObject({ name, by: v.optional(person) })

/** The state of a dispatch. Fields are added, never removed. Times are epoch ms. */
export type DispatchView = {
  id: string
  name: string
  /** `<workspace>/<name>`, which also names its runtime. */
  agent: string
  workspace: string
  runtimeId: string
  harness: string
  cwd: string
  /** What may be pressed without asking, according to its workspace. */
  policy: TriagePolicy
  reviewer: string | null
  state: DispatchState
  stateSince: number
  /** Why it waits, failed, or was stopped. */
  why: string | null
  startedAt: number
  /** When we saw that it took the task. */
  validatedAt: number | null
  endedAt: number | null
  trigger: string | null
  reviewTrigger: string | null
  /** Whether somebody has to do something for it: its agent waits, or its reviewer does. */
  waiting: boolean
  /** What its agent, or its reviewer, wants while it waits. */
  ask: string | null
  /** Whether `accept` would take its last message as the result. */
  canAccept: boolean
  /** Its last message once it has finished, and what its reviewer said. */
  result: string | null
  review: string | null
  /** The conversation, by the harness's own id; null until it is known. It outlives the runtime. */
  session: string | null
  /** For people: `agents_ranch:fix-tests.0`. */
  target: string
  pane: PaneRef | null
  /** How often the policy pressed a key on what it shows now. */
  pressed: number
}

export type DispatchesView = { dispatches: DispatchView[] }

/** What was done for it, newest last, and the end of its screen, without secrets. */
export type DispatchLogsView = {
  name: string
  state: DispatchState
  lines: AuditLine[]
  /** `live`: what the screen shows now; otherwise what it showed at the last look. */
  screen: { at: number; live: boolean; text: string } | null
}
