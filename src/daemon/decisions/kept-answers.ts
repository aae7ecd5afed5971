import type { DatabaseSync } from 'node:sqlite'
import type { Decision } from '../../core/decision/decision.ts'
import { redacted } from '../../core/redact/redaction.ts'
import { eraseAnswer, readDecision, untakenDecisions } from '../../store/tables/decisions.ts'

/** An asker that never says that it has its answer is not waited for any longer. */
const KEEP_MS = 3_600_000
const TRY_AGAIN_MS = 60_000

/** Answers are stored whole until their askers have them: a changed input, a message with a secret in it. */
export class KeptAnswers implements Disposable {
  readonly #db: DatabaseSync
  readonly #failed: (error: unknown) => void
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(db: DatabaseSync, failed: (error: unknown) => void) {
    this.#db = db
    this.#failed = failed
  }

  start(): void {
    for (const decision of untakenDecisions(this.#db)) this.keep(decision)
  }

  keep({ id, state }: Decision): void {
    if (state.kind !== 'answered') return
    this.#eraseIn(Math.max(0, state.at + KEEP_MS - Date.now()), id)
  }

  /** A full disk puts it off. */
  #eraseIn(ms: number, id: string): void {
    const erase = () => {
      try {
        this.taken(id)
      } catch (error) {
        this.#failed(error)
        this.#eraseIn(TRY_AGAIN_MS, id)
      }
    }
    this.#timers.set(id, setTimeout(erase, ms).unref())
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
