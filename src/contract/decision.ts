import * as v from 'valibot'
import type { DecisionKind, Withdrawal } from '../core/decision/decision.ts'

/** The protocol of decisions, version 1. Fields are added, never removed. Times are epoch ms. */

const person = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))
const word = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200))
const time = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(8.64e15))

/** The asker chooses it, and comes back with it after a lost connection. */
const DECISION_ID = /^[\w-]{8,64}$/
const id = v.pipe(v.string(), v.regex(DECISION_ID, 'it is 8 to 64 letters, digits, _ or -'))

/** What an asker wants to know. It waits for the answer on the same connection. */
export const DecisionBody = v.strictObject({
  v: v.literal(1),
  id,
  asker: v.strictObject({
    name: word,
    id: v.optional(word),
    cwd: v.optional(
      v.pipe(v.string(), v.maxLength(4_096), v.regex(/^\/[^\0]*$/, 'it is no absolute path')),
    ),
  }),
  /** A permission has a tool, a question does not. */
  tool: v.optional(word),
  input: v.optional(v.unknown()),
  question: v.optional(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(16_000))),
  options: v.optional(v.pipe(v.array(word), v.maxLength(9))),
  deadline: v.optional(time),
})
export type DecisionBody = v.InferOutput<typeof DecisionBody>

/** Also of the message that goes with an answer. */
export const MOST_ANSWER_CHARS = 16_000

/** The operator's answer. */
export const AnswerBody = v.strictObject({
  choice: v.pipe(v.string(), v.minLength(1), v.maxLength(MOST_ANSWER_CHARS)),
  message: v.optional(v.pipe(v.string(), v.maxLength(MOST_ANSWER_CHARS))),
  /** In place of the input that was asked about. */
  input: v.optional(v.unknown()),
  by: v.optional(person),
})
export type AnswerBody = v.InferOutput<typeof AnswerBody>

/** What the asker gets. `input` is there only if the operator changed it. */
export type DecisionOutcome =
  | {
      id: string
      outcome: 'answered'
      choice: string
      message?: string
      input?: unknown
      by: string
    }
  | { id: string; outcome: 'withdrawn'; why: Withdrawal }

export type DecisionView = {
  id: string
  kind: DecisionKind
  asker: { name: string; id: string; cwd: string | null }
  tool: string | null
  /** What is asked, whole while its asker waits; otherwise without its secrets. */
  text: string
  /** `text` is only the beginning of it. */
  cut: boolean
  /** Absent unless its asker waits. */
  input?: unknown
  options: string[]
  askedAt: number
  deadline: number | null
  state: 'pending' | 'answered' | 'withdrawn'
  /** Whether its asker is connected. If not, it may come back. */
  waiting: boolean
  /** How many others of the same asker wait behind it. */
  more: number
  answer: {
    choice: string
    message: string | null
    changed: boolean
    by: string
    at: number
  } | null
  withdrawn: { why: Withdrawal; at: number } | null
}

export type DecisionsView = { decisions: DecisionView[] }
