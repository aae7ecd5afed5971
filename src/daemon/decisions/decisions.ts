import type { DatabaseSync } from 'node:sqlite'
import type {
  AnswerBody,
  DecisionBody,
  DecisionOutcome,
  DecisionView,
} from '../../contract/decision.ts'
import { answerProblem, type Decision, type Withdrawal } from '../../core/decision/decision.ts'
import { TrailBossError } from '../../core/errors.ts'
import { REDACTED } from '../../core/redact/redaction.ts'
import { truncate } from '../../core/text.ts'
import { inTransaction } from '../../store/database/database.ts'
import { appendAudit } from '../../store/tables/audit.ts'
import {
  forgetDecisions,
  pendingDecisions,
  readDecision,
  saveDecision,
  settledDecisions,
} from '../../store/tables/decisions.ts'
import { operatorNamed } from '../../supervisor/context/context.ts'
import type { Escalations } from '../../supervisor/context/escalations.ts'
import { answeredDecision } from './answered-decision.ts'
import { AskLimits } from './ask-limits.ts'
import {
  decisionOf,
  digestOf,
  outcomeOf,
  sizeOf,
  titleOf,
  type Whole,
  wholeOf,
} from './asked-decision.ts'
import {
  inputUnknown,
  onlyBeginningKnown,
  otherQuestion,
  settledAlready,
  takenAlready,
  unknownDecision,
} from './decision-errors.ts'
import { DecisionQueue } from './decision-queue.ts'
import { decisionView, shortened } from './decision-view.ts'
import { KeptAnswers } from './kept-answers.ts'
import { type Pending, unheld } from './pending-decision.ts'
import { Withdrawals } from './withdrawals.ts'

/** An asker whose connection broke comes back with its id within this time, or is gone. */
const COMES_BACK_MS = 2_000
/** After our own restart it has to notice first that we are there again. */
const COMES_BACK_AFTER_START_MS = 30_000
/** How long a settled decision waits for who asks again. */
const KEEP_MS = 7 * 86_400_000
const MOST_LISTED = 20

export type DecisionsParts = {
  db: DatabaseSync
  escalations: Escalations
  /** The ids of decisions that are in the queue. */
  listed(): Iterable<string>
  /** The whole text of an item changed: whoever shows the queue looks again. */
  touch(): void
  failed(error: unknown): void
}

/**
 * Questions that are answered through us. Each is stored before anybody sees it, and its answer before anybody
 * gets it. Nothing here answers: only `answer` does, for the operator.
 */
export class Decisions implements Disposable {
  readonly #parts: DecisionsParts
  readonly #pending = new Map<string, Pending>()
  readonly #limits = new AskLimits()
  readonly #answers: KeptAnswers
  readonly #queue: DecisionQueue
  readonly #withdrawals: Withdrawals

  constructor(parts: DecisionsParts) {
    this.#parts = parts
    this.#answers = new KeptAnswers(parts.db, parts.failed)
    this.#queue = new DecisionQueue(parts.escalations, parts.failed)
    this.#withdrawals = new Withdrawals((pending, why) => this.#drop(pending, why), parts.failed)
  }

  /** What was pending when the last daemon ended still is, and its asker may come back for it. */
  start(): void {
    this.#forgetOld()
    this.#answers.start()
    for (const decision of pendingDecisions(this.#parts.db)) {
      const pending = this.#remember(decision, undefined, 0)
      this.#withdrawals.unlessBackIn(COMES_BACK_AFTER_START_MS, pending)
    }
    for (const id of this.#parts.listed()) {
      if (!this.#pending.has(id)) this.#queue.settled(id, { how: 'settled', by: 'itself' })
    }
    this.#show()
  }

  /** Resolves when it is settled. The same request with the same id gets the same answer. */
  ask(body: DecisionBody, signal: AbortSignal): Promise<DecisionOutcome> {
    const asked = this.#asked(body)
    if (asked.decision.state.kind !== 'pending') return Promise.resolve(outcomeOf(asked.decision))
    return new Promise((resolve) => {
      const leave = () => {
        asked.waiters.delete(settle)
        if (asked.waiters.size === 0) this.#withdrawals.unlessBackIn(COMES_BACK_MS, asked)
      }
      const settle = (outcome: DecisionOutcome) => {
        signal.removeEventListener('abort', leave)
        resolve(outcome)
      }
      asked.waiters.add(settle)
      this.#withdrawals.isBack(asked)
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
    })
  }

  /** Throws unless it is pending: of two answers, the first counts. */
  answer(id: string, { choice, message, input, by }: AnswerBody): DecisionView {
    const pending = this.#require(id)
    const { decision, whole } = pending
    // Its timer stood still while the machine slept.
    if (decision.deadline !== undefined && Date.now() > decision.deadline) {
      this.#drop(pending, 'deadline')
      throw settledAlready(this.view(id))
    }
    const options = whole?.options ?? decision.options
    const problem = answerProblem({ ...decision, options }, { choice, input }, whole?.input)
    if (problem) throw new TrailBossError('BAD_REQUEST', problem)
    if (!whole && (input !== undefined || choice.includes(REDACTED))) throw inputUnknown()
    if (!whole && decision.isCut && choice !== 'deny') throw onlyBeginningKnown()
    const at = Date.now()
    const settled = answeredDecision(decision, { choice, message, input, by }, at)
    const changed = input === undefined ? '' : ', with a changed input'
    const said = message ? `: ${message}` : ''
    const result = decision.kind === 'permission' ? choice : 'answered'
    const detail = `${titleOf(decision)}: ${truncate(choice, 200)}${changed}${said}`
    this.#settle(pending, settled, () =>
      appendAudit(this.#parts.db, {
        ...{ at, kind: 'decision_answered', actor: operatorNamed(by), result, detail },
        ...(input !== undefined && { payload: { text: JSON.stringify(input), keepsText: false } }),
      }),
    )
    this.#answers.keep(settled)
    return this.view(id)
  }

  /** Its asker has the answer. */
  taken(id: string): void {
    this.#answers.taken(id)
  }

  view(id: string): DecisionView {
    const found = this.find(id)
    if (found) return found
    throw unknownDecision(id)
  }

  find(id: string): DecisionView | undefined {
    const pending = this.#pending.get(id)
    const decision = pending?.decision ?? readDecision(this.#parts.db, id)
    return (
      decision &&
      decisionView(decision, {
        whole: pending?.whole,
        isWaiting: (pending?.waiters.size ?? 0) > 0,
        more: pending ? this.#behind(decision) : 0,
      })
    )
  }

  /** Those that are pending, oldest first, and the last ones that were settled. */
  list(): DecisionView[] {
    const settled = settledDecisions(this.#parts.db, MOST_LISTED)
    const pending = [...this.#pending.values()].map(({ decision }) => decision)
    return [...pending, ...settled].map(({ id }) => shortened(this.view(id)))
  }

  [Symbol.dispose](): void {
    this.#answers[Symbol.dispose]()
    this.#queue[Symbol.dispose]()
    this.#withdrawals[Symbol.dispose]()
  }

  #asked(body: DecisionBody): Pending {
    const { db } = this.#parts
    const { id } = body
    const digest = digestOf(body)
    const known = this.#pending.get(id)
    const before = known?.decision ?? readDecision(db, id)
    if (before && before.digest !== digest) {
      throw otherQuestion(id)
    }
    if (known) {
      if (!known.whole) {
        known.whole = wholeOf(body)
        known.bytes = sizeOf(known.whole)
      }
      this.#show()
      return known
    }
    if (before?.state.kind === 'answered' && before.state.isTaken) throw takenAlready()
    const isLost = before?.state.kind === 'withdrawn' && before.state.why === 'asker-gone'
    if (before && !isLost) return { ...unheld(before), whole: undefined }
    return this.#add(body, digest)
  }

  #add(body: DecisionBody, digest: string): Pending {
    const now = Date.now()
    this.#forgetOld()
    const whole = wholeOf(body)
    const decision = decisionOf(body, whole, digest, now)
    const bytes = sizeOf(whole)
    this.#limits.require(decision.asker.id, bytes, now, [...this.#pending.values()])
    const { db } = this.#parts
    inTransaction(db, () => {
      saveDecision(db, decision)
      appendAudit(db, {
        ...{ at: now, kind: 'decision_asked', actor: decision.asker.name },
        detail: titleOf(decision),
        payload: { text: whole.text, keepsText: false },
      })
    })
    const pending = this.#remember(decision, whole, bytes)
    this.#show()
    return pending
  }

  #remember(decision: Decision, whole: Whole | undefined, bytes: number): Pending {
    const pending = { ...unheld(decision), whole, bytes }
    this.#pending.set(decision.id, pending)
    this.#withdrawals.atDeadline(pending)
    return pending
  }

  #drop(pending: Pending, why: Withdrawal): void {
    if (!this.#pending.has(pending.decision.id)) return
    const at = Date.now()
    const { decision } = pending
    this.#settle(pending, { ...decision, state: { kind: 'withdrawn', at, why } }, () =>
      appendAudit(this.#parts.db, {
        ...{ at, kind: 'decision_withdrawn', actor: decision.asker.name, result: why },
        detail: titleOf(decision),
      }),
    )
  }

  /** On disk with its audit line before anybody learns of it. */
  #settle(pending: Pending, settled: Decision, audit: () => void): void {
    const { db } = this.#parts
    inTransaction(db, () => {
      saveDecision(db, settled)
      audit()
    })
    this.#pending.delete(settled.id)
    this.#withdrawals.settled(pending)
    for (const waiter of pending.waiters) waiter(outcomeOf(settled))
    const how = settled.state.kind
    this.#queue.settled(settled.id, { how, by: how === 'answered' ? 'operator' : 'itself' })
    this.#show()
  }

  /** A full disk puts it off. */
  #forgetOld(): void {
    try {
      forgetDecisions(this.#parts.db, Date.now() - KEEP_MS)
    } catch (error) {
      this.#parts.failed(error)
    }
  }

  #show(): void {
    this.#queue.show(this.#pending)
    this.#parts.touch()
  }

  #behind({ asker, id }: Decision): number {
    const others = [...this.#pending.values()].filter(({ decision }) => decision.id !== id)
    return others.filter(({ decision }) => decision.asker.id === asker.id).length
  }

  #require(id: string): Pending {
    const pending = this.#pending.get(id)
    if (pending) return pending
    throw settledAlready(this.view(id))
  }
}
