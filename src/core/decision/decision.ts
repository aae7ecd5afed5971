import { visibleLine } from '../text.ts'

/**
 * A question that is answered through us, because its asker has no prompt that the operator could go to. It is
 * pending until the operator answers, or until nobody waits for the answer any more.
 */
export type Decision = {
  id: string
  asker: Asker
  /** A permission takes `allow` or `deny`; a question one of its options, or any text if it has none. */
  kind: DecisionKind
  /** The question, or what the tool would do. Without secrets. */
  text: string
  tool?: string
  options: string[]
  /** The hash of the whole request: who comes back with the id must ask the same. */
  digest: string
  /** The stored text is only its beginning. */
  isCut?: boolean
  askedAt: number
  /** Nobody waits after this. */
  deadline?: number
  state: DecisionState
}

export const DECISION_KINDS = ['permission', 'question'] as const
export type DecisionKind = (typeof DECISION_KINDS)[number]

export type Asker = {
  /** What the operator reads: a program, a script. */
  name: string
  /** One asker has one item in the queue, however much it asks. */
  id: string
  cwd?: string
}

export type DecisionState =
  | { kind: 'pending' }
  | Answered
  | { kind: 'withdrawn'; at: number; why: Withdrawal }

type Answered = {
  kind: 'answered'
  at: number
  by: string
  choice: string
  message?: string
  isChanged: boolean
  /** The changed one, whole until the asker has it. */
  input?: unknown
  /** The asker has it, and what is left of it lacks its secrets: it cannot be given again. */
  isTaken?: true
}

export const WITHDRAWALS = ['deadline', 'asker-gone'] as const
export type Withdrawal = (typeof WITHDRAWALS)[number]

export type Choice = { choice: string; message?: string; input?: unknown }

/** What is wrong with an answer; undefined if nothing is. `before` is the input that was asked about. */
export function answerProblem(
  { kind, options }: Pick<Decision, 'kind' | 'options'>,
  { choice, input }: Choice,
  before?: unknown,
): string | undefined {
  if (kind === 'permission') {
    if (choice !== 'allow' && choice !== 'deny') return 'It takes "allow" or "deny".'
    if (choice === 'deny' && input !== undefined) return 'Only "allow" can change the input.'
    if (input !== undefined && isObject(before) && !isObject(input)) {
      return 'The input is an object, and must stay one.'
    }
    return undefined
  }
  if (input !== undefined) return 'A question has no input that could be changed.'
  if (options.length === 0) return choice.trim() ? undefined : 'The answer is empty.'
  const known = options.map((option) => `"${visibleLine(option)}"`).join(', ')
  return options.includes(choice) ? undefined : `It takes one of ${known}.`
}

/** The first that each asker waits for, oldest first. The others wait behind it. */
export function shownDecisions(pending: Iterable<Decision>): { first: Decision; more: number }[] {
  const byAsker = Map.groupBy(pending, ({ asker }) => asker.id)
  return [...byAsker.values()].map((all) => {
    const [first, ...rest] = all.toSorted((a, b) => a.askedAt - b.askedAt)
    return { first: first as Decision, more: rest.length }
  })
}

function isObject(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
