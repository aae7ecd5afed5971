import type { DatabaseSync } from 'node:sqlite'
import type { Decision } from '../../core/decision/decision.ts'
import { redacted } from '../../core/redact/redaction.ts'
import { eraseAnswer, readDecision, untakenDecisions } from '../../store/tables/decisions.ts'

/** An asker that never says that it has its answer is not waited for any longer. */
const KEEP_MS = 3_600_000

/** Answers are stored whole until their askers have them: a changed input, a message with a secret in it. */
export class KeptAnswers implements Disposable {
  readonly #db: DatabaseSync
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  start(): void {
    for (const decision of untakenDecisions(this.#db)) this.keep(decision)
  }

  keep({ id, state }: Decision): void {
    if (state.kind !== 'answered') return
    const left = Math.max(0, state.at + KEEP_MS - Date.now())
    this.#timers.set(id, setTimeout(() => this.taken(id), left).unref())
  }

  /** Its asker has the answer: what must not stay is overwritten. */
  taken(id: string): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    const decision = readDecision(this.#db, id)
    const left = decision && withoutSecrets(decision)
    if (left) eraseAnswer(this.#db, left)
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
  }
}

/** Undefined if nothing has to go. */
function withoutSecrets(decision: Decision): Decision | undefined {
  const { state } = decision
  if (state.kind !== 'answered') return undefined
  const { input, ...kept } = state
  const choice = redacted(kept.choice)
  const message = kept.message === undefined ? undefined : redacted(kept.message)
  if (input === undefined && choice === kept.choice && message === kept.message) return undefined
  const said = message === undefined ? {} : { message }
  return { ...decision, state: { ...kept, choice, ...said, isTaken: true } }
}
