import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { SupervisorSettings } from '../../config/supervisor-settings.ts'
import type { ReplyView } from '../../contract/supervisor.ts'
import type { ReplyBody } from '../../contract/supervisor-requests.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import type { Pane } from '../../core/pane.ts'
import type { AgentEvent } from '../../core/session/event.ts'
import { sessionKey } from '../../core/session/event.ts'
import type { Session } from '../../core/session/session.ts'
import { labelOf } from '../../core/session/wait-label.ts'
import { itemObstacle, sightObstacle } from '../../core/supervisor/reply/obstacle.ts'
import { type Ack, strongestAck } from '../../core/supervisor/trigger/ack.ts'
import { promptOf } from '../../core/supervisor/trigger/envelope.ts'
import { type Mark, replyMarkFrom } from '../../core/supervisor/trigger/mark.ts'
import { isDraftOf, isTouchedSince } from '../../core/supervisor/trigger/target-observation.ts'
import { displayLine, truncate } from '../../core/text.ts'
import { adapterFor } from '../../harness/registry.ts'
import { KeyedMutex } from '../../service/keyed-mutex.ts'
import type { Log } from '../../service/log.ts'
import { newId } from '../../service/new-id.ts'
import { pasteInto, pressKey, type WriteResult } from '../../tmux/write/guarded-write.ts'
import { type AuditEntry, audit, operatorNamed } from '../context/context.ts'
import type { Herd, Monitor } from '../context/herd.ts'
import { type ProofPlace, Proofs, proofIn } from '../triggers/proofs.ts'
import { refusedReply, unprovedReply, writeObstacle } from './reply-errors.ts'
import { type ReplyPlaceParts, replyPane, type SeenPlace, seenPlace } from './reply-place.ts'

export type ReplyParts = {
  db: DatabaseSync
  herd: Herd
  settings: SupervisorSettings
  log: Log
  monitor: Pick<Monitor, 'prompted'>
  links: ReplyPlaceParts['links']
  /** The agent of a workspace that this session is. */
  agentOf(session: Session): string | undefined
}

/** One reply on its way. */
type Reply = { id: string; mark: Mark; text: string; session: Session; actor: string } & Pick<
  ReplyBody,
  'client'
>

const LOOK_MS = 60
const LONGEST_WAIT_MS = 10_000
/** Whoever sent it still waits for the answer after this and both waits. */
const LONGEST_TURN_MS = 8_000

/**
 * Types what the operator wrote into the composer of a waiting session, and proves that it arrived. Every reply is
 * one attempt: one paste, one Enter, and whatever is uncertain after that is reported and never repeated. It exists
 * only if the operator turned it on.
 */
export class Replies implements AsyncDisposable {
  readonly #parts: ReplyParts
  readonly #place: ReplyPlaceParts
  readonly #proofs = new Proofs()
  readonly #awaited = new Map<Mark, ProofPlace>()
  readonly #mutex = new KeyedMutex()
  readonly #waitMs: number
  #isOver = false

  constructor(parts: ReplyParts) {
    const { herd, links, settings } = parts
    const { quietMs, ackTimeoutMs } = settings.delivery
    this.#parts = parts
    this.#place = { links, clock: herd.clock, quietMs }
    this.#waitMs = Math.min(ackTimeoutMs, LONGEST_WAIT_MS)
    herd.answerChange(({ entries }) => {
      for (const entry of entries) {
        if (entry.type === 'event.received' && entry.event.marks) this.#hear(entry.event)
      }
    })
  }

  /** Throws `REPLY_REFUSED` if nothing was typed, `REPLY_UNPROVED` if it may have arrived. */
  async send({ harness, session: sessionId, text, by, client }: ReplyBody): Promise<ReplyView> {
    const key = sessionKey(harness, sessionId)
    const askedAt = this.#parts.herd.clock.now()
    const named = {
      id: newId('rpl'),
      mark: replyMarkFrom(randomBytes(10)),
      actor: operatorNamed(by),
    }
    try {
      const typed = promptOf(named.mark, text)
      const act = async () => {
        const waitedMs = this.#parts.herd.clock.now() - askedAt
        if (waitedMs > LONGEST_TURN_MS) throw refusedReply('Another reply took too long there.')
        const session = this.#waiting(key)
        return await this.#deliver({ ...named, text: typed, session, client })
      }
      return await this.#mutex.run(key, act)
    } catch (error) {
      const failure = this.#awaited.has(named.mark) ? failureOfTyped(error) : error
      const code = failure instanceof TrailBossError ? failure.code : 'INTERNAL'
      const why = messageOf(failure)
      const kind = code === 'REPLY_UNPROVED' ? 'reply_unproved' : 'reply_refused'
      const about = { triggerId: named.id, actor: named.actor }
      const detail = truncate(displayLine(`${key}: ${why}`), 300)
      this.#auditAnyway({ ...about, kind, result: code, detail, payload: text })
      throw failure
    } finally {
      this.#awaited.delete(named.mark)
      this.#proofs.forget(named.mark)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    await this.#mutex.idle()
  }

  /** The session, if it waits for a prompt as far as the queue knows. */
  #waiting(key: ReturnType<typeof sessionKey>): Session {
    const session = this.#parts.herd.session(key)
    if (!session || session.verdict.state === 'ended') {
      throw new TrailBossError(
        'NOT_FOUND',
        `No session "${truncate(displayLine(key), 80)}" runs.`,
        {
          hint: 'See all of them with: trailboss sessions',
        },
      )
    }
    const { about, pane = null, isGuest, verdict } = session
    if (verdict.state === 'working') throw refusedReply('It is working.')
    if (verdict.state !== 'stuck' || !session.item) throw refusedReply('It does not wait for you.')
    if (isGuest && !about) throw refusedReply('It runs in the background: go there.')
    const item = { about, agent: this.#parts.agentOf(session), pane, label: labelOf(verdict) }
    const obstacle = itemObstacle(item)
    if (obstacle) throw refusedReply(obstacle)
    if (!adapterFor(session.harness)?.managed) {
      throw refusedReply('This harness cannot be replied to.')
    }
    return session
  }

  async #deliver(reply: Reply): Promise<ReplyView> {
    const { herd, monitor, settings } = this.#parts
    const { id, mark, session, actor } = reply
    const startedAt = herd.clock.now()
    const pane = await replyPane(session, this.#place)
    if (!pane) throw refusedReply('Its pane is closed, or cannot be seen.')
    const seen = await this.#look(reply, pane)
    const obstacle = sightObstacle(seen.sight)
    if (obstacle) throw refusedReply(obstacle)
    if (herd.clock.now() - seen.lookedAt > settings.delivery.freshMs) {
      throw refusedReply('Its screen could not be read in time.')
    }
    const { harness, id: sessionId } = session
    this.#audit({ kind: 'reply_claimed', ...this.#about(reply), result: 'ok' })
    this.#awaited.set(mark, { harness, sessionId, pane })
    await this.#paste(reply, pane, seen)
    await this.#enter(reply, pane)
    const ack = await this.#proof(reply, pane)
    const tookMs = Math.round(herd.clock.now() - startedAt)
    this.#auditAnyway({
      kind: 'ack_received',
      actor,
      triggerId: id,
      detail: ack.kind,
      result: 'ok',
    })
    this.#auditAnyway({ kind: 'reply_delivered', ...this.#about(reply), result: 'ok' })
    monitor.prompted(pane)
    return { id, harness, session: sessionId, confirmedBy: ack.kind, tookMs }
  }

  async #paste(reply: Reply, pane: Pane, { cursor }: SeenPlace): Promise<void> {
    const written = await pasteInto(pane, reply.text, cursor)
    this.#auditAnyway({
      kind: 'pane_written',
      ...this.#written(reply, written),
      payload: reply.text,
    })
    if (written.kind === 'refused') throw refusedReply(writeObstacle(written.why))
    if (written.kind === 'unknown') {
      throw unprovedReply('tmux did not say whether it was typed.')
    }
  }

  /** Presses Enter once, on our own text and nothing else. A refused key was not pressed. */
  async #enter(reply: Reply, pane: Pane): Promise<void> {
    const { clock } = this.#parts.herd
    const wroteAt = clock.now()
    const dueAt = wroteAt + this.#parts.settings.delivery.enterDelayMs
    let sight: SeenPlace['sight'] | undefined
    while (this.#mayWait(wroteAt)) {
      await delay(LOOK_MS)
      // Somebody else has pressed it.
      if (this.#proofs.of(reply.mark).length > 0) return
      if (clock.now() < dueAt) continue
      const seen = await this.#look(reply, pane)
      sight = seen.sight
      if (!isOurs(reply.text, seen, wroteAt)) continue
      const pressed = await pressKey(pane, 'Enter', seen.cursor)
      if (pressed.kind === 'refused' && pressed.why === 'changed') continue
      const about = this.#written(reply, pressed)
      this.#auditAnyway({ kind: 'key_pressed', ...about, detail: 'Enter' })
      if (pressed.kind === 'sent') return
      throw unprovedReply(
        pressed.kind === 'refused'
          ? `It is in its composer, and not sent. ${writeObstacle(pressed.why)}`
          : 'It is in its composer, and tmux did not say whether Enter was pressed.',
      )
    }
    const isTypedIn = sight?.kind === 'typed-in'
    throw unprovedReply(
      isTypedIn
        ? 'It is in its composer, and not sent: somebody is typing there.'
        : 'It was typed, but its composer does not show it, so it was not sent.',
    )
  }

  async #proof(reply: Reply, pane: Pane): Promise<Ack> {
    const { clock } = this.#parts.herd
    const enteredAt = clock.now()
    while (this.#mayWait(enteredAt)) {
      await this.#search(reply)
      const ack = strongestAck(this.#proofs.of(reply.mark))
      if (ack) return ack
      await delay(LOOK_MS)
    }
    const isLeft = isOurs(reply.text, await this.#look(reply, pane), enteredAt)
    throw unprovedReply(
      isLeft
        ? 'It is in its composer: Enter did not send it.'
        : 'It was typed and sent, but neither a hook nor its transcript confirms it.',
    )
  }

  /** Reads the transcript ourselves: a hook may be missing, or get lost. */
  async #search({ mark, session: { key, harness, id } }: Reply): Promise<void> {
    const { herd } = this.#parts
    const reader = adapterFor(harness)?.transcript
    const path = herd.session(key)?.transcript
    const found = await this.#proofs.find(mark, { path, session: id, reader })
    if (found === 'found') this.#proofs.hear(mark, { kind: 'transcript', at: herd.clock.now() })
  }

  #hear(event: AgentEvent): void {
    for (const mark of event.marks ?? []) {
      const place = this.#awaited.get(mark)
      const ack = place && proofIn(event, place, this.#parts.herd)
      if (ack) this.#proofs.hear(mark, ack)
    }
  }

  #look({ session, client }: Reply, pane: Pane): Promise<SeenPlace> {
    return seenPlace(pane, session, client, this.#place)
  }

  #mayWait(since: number): boolean {
    return !this.#isOver && this.#parts.herd.clock.now() - since < this.#waitMs
  }

  #about({ id, actor, session }: Reply) {
    return { triggerId: id, actor, detail: truncate(displayLine(session.key), 300) }
  }

  #written(reply: Reply, written: WriteResult) {
    const result = written.kind === 'sent' ? 'ok' : `${written.kind}: ${written.why}`
    return { ...this.#about(reply), result }
  }

  #audit(entry: AuditEntry): void {
    const { db, herd, settings, log } = this.#parts
    audit({ db, clock: herd.clock, settings, log }, entry)
  }

  /** What has been typed has been typed, also on a full disk. */
  #auditAnyway(entry: AuditEntry): void {
    try {
      this.#audit(entry)
    } catch (error) {
      this.#parts.log.error({ err: error, kind: entry.kind }, 'a reply was not audited')
    }
  }
}

/** Whatever failed once it may have been typed: nobody may take it for untouched and send it again. */
function failureOfTyped(error: unknown): TrailBossError {
  const isKnown = error instanceof TrailBossError && error.code.startsWith('REPLY_')
  return isKnown ? error : unprovedReply(`It may have been typed: ${messageOf(error)}`)
}

function isOurs(text: string, seen: SeenPlace, wroteAt: number): boolean {
  const { sight, operatorActiveAt } = seen
  if (sight.kind !== 'composer' || sight.composer.kind !== 'text') return false
  const isTouched = isTouchedSince({ operatorActiveAt }, wroteAt)
  return isDraftOf(sight.composer.text, text, { isTouched })
}
