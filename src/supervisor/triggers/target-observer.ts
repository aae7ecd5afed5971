import { cursorAck } from '../../core/bridge/cursor.ts'
import { heartbeatAck } from '../../core/bridge/heartbeat.ts'
import { endsOnScreen } from '../../core/screen/last-words.ts'
import type { Cursor, Screen } from '../../core/screen/screen.ts'
import { sessionKey } from '../../core/session/event.ts'
import type { PanePresence } from '../../core/supervisor/runtime/reconcile.ts'
import { paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import type { Ack } from '../../core/supervisor/trigger/ack.ts'
import type { ComposerSight } from '../../core/supervisor/trigger/composer.ts'
import { marksIn } from '../../core/supervisor/trigger/mark.ts'
import { rateLimitedUntil } from '../../core/supervisor/trigger/rate-limit.ts'
import {
  isLeftOf,
  type TargetObservation,
} from '../../core/supervisor/trigger/target-observation.ts'
import { mayHaveBeenTaken, type Trigger, writeIn } from '../../core/supervisor/trigger/trigger.ts'
import { isInterruption } from '../../harness/adapter/ask-text.ts'
import { adapterFor } from '../../harness/registry.ts'
import { readCursor, readHeartbeat, readThread } from '../../store/tables/bridge.ts'
import { findTriggerOfMark, recentTriggers } from '../../store/tables/triggers.ts'
import { captureByProcess } from '../../tmux/server-link/screens.ts'
import { operatorActivity } from '../../tmux/write/operator-activity.ts'
import type { SupervisorContext } from '../context/context.ts'
import type { Herd } from '../context/herd.ts'
import type { FirstPrompts } from '../runtimes/first-prompts.ts'
import type { PromptChannels } from '../runtimes/prompt-channel.ts'
import type { Registry } from '../runtimes/registry.ts'
import { paneOf, type RuntimeObserver } from '../runtimes/runtime-observer.ts'
import type { Proofs } from './proofs.ts'

export type TargetObserverParts = {
  context: SupervisorContext
  herd: Herd
  observer: RuntimeObserver
  proofs: Proofs
  firstPrompts: FirstPrompts
  channels: Pick<PromptChannels, 'has'>
}

/** And where its cursor was: what is written goes only where it still is. */
export type SeenTarget = TargetObservation & { cursor: Cursor | undefined }

type SeenComposer = { composer: ComposerSight; screen?: Screen }

/** All that can be known of a trigger's target, looked at now. */
export class TargetObserver {
  readonly #parts: TargetObserverParts
  /** When somebody last typed there. tmux forgets it when that client detaches. */
  readonly #operatorActiveAt = new Map<string, number>()

  constructor(parts: TargetObserverParts) {
    this.#parts = parts
  }

  async look(trigger: Trigger, runtime: Runtime): Promise<SeenTarget> {
    const { context, observer } = this.#parts
    const { clock } = context
    const pane =
      (await observer.look([runtime], () => clock.now())).get(runtime.runtimeId)?.pane ?? 'unseen'
    const records = await this.#search(trigger, runtime, pane)
    const seen: SeenComposer | undefined =
      pane === 'here' ? await this.#lookInto(runtime) : { composer: nothing(`the pane is ${pane}`) }
    const composer = seen?.composer
    return {
      ...this.#known(trigger, runtime),
      cursor: seen?.screen?.cursor,
      channel: seen?.screen ? this.#channel(trigger, runtime, seen.screen) : 'none',
      pane: composer ? pane : 'unseen',
      composer: composer ?? nothing('tmux did not answer'),
      isLeftover: composer?.kind === 'text' && this.#isLeftover(composer.text, runtime),
      lookedAt: clock.now(),
      operatorActiveAt: this.#operatorActiveAt.get(runtime.runtimeId),
      ...records,
    }
  }

  /** What needs no look: enough to settle a trigger of which a proof was heard. */
  unseen(trigger: Trigger, runtime: Runtime): TargetObservation {
    return {
      ...this.#known(trigger, runtime),
      pane: 'unseen',
      channel: 'none',
      composer: nothing('nobody looked'),
      isLeftover: false,
      lookedAt: 0,
      operatorActiveAt: this.#operatorActiveAt.get(runtime.runtimeId),
      records: 'unread',
    }
  }

  /** When somebody last typed in the pane of each, by its runtime. Throws where tmux does not answer. */
  async lookAtOperators(runtimes: readonly Runtime[]): Promise<ReadonlyMap<string, number>> {
    const { clock } = this.#parts.context
    const placed = runtimes.flatMap((runtime) => {
      const pane = paneOf(runtime)
      return pane ? [{ runtimeId: runtime.runtimeId, pane }] : []
    })
    for (const socket of new Set(placed.map(({ pane }) => pane.socket))) {
      const here = placed.filter(({ pane }) => pane.socket === socket)
      const panes = here.map(({ pane }) => pane)
      const activity = await operatorActivity(socket, panes)
      for (const [index, { runtimeId }] of here.entries()) {
        const at = activity[index]
        if (at === undefined) continue
        const known = this.#operatorActiveAt.get(runtimeId) ?? 0
        this.#operatorActiveAt.set(runtimeId, Math.max(known, clock.fromWall(at)))
      }
    }
    return this.#operatorActiveAt
  }

  /** Remembers of each runtime whether somebody types there. */
  async noticeOperators(registry: Registry): Promise<void> {
    const { clock, settings } = this.#parts.context
    const since = clock.now() - settings.delivery.quietMs
    const runtimes = registry.list().filter(paneIn)
    const active = await this.lookAtOperators(runtimes).catch(() => undefined)
    if (!active) return
    for (const { runtimeId } of runtimes) {
      const runtime = registry.find(runtimeId)
      const operatorBusy = (active.get(runtimeId) ?? 0) > since
      if (runtime && runtime.operatorBusy !== operatorBusy) {
        registry.change(() => registry.save({ ...runtime, operatorBusy }))
      }
    }
  }

  forget(runtimeId: string): void {
    this.#operatorActiveAt.delete(runtimeId)
  }

  /** Undefined where tmux does not answer: then somebody may be typing, for all that is known. */
  async #lookInto(runtime: Runtime): Promise<SeenComposer | undefined> {
    try {
      const [seen] = await Promise.all([this.#composer(runtime), this.lookAtOperators([runtime])])
      return seen
    } catch {
      return undefined
    }
  }

  #known(trigger: Trigger, runtime: Runtime) {
    const { db, clock, settings } = this.#parts.context
    const now = clock.now()
    const since = now - settings.rate.windowMs
    const { status, startedAt, sessionId, lastHeartbeatAt, failures } = runtime
    const thread = trigger.threadId === undefined ? undefined : readThread(db, trigger.threadId)
    const isFree = writeIn(trigger) !== undefined || trigger.force !== undefined
    return {
      status,
      startedAt,
      sessionId,
      lastHeartbeatAt,
      failures,
      acks: [...this.#parts.proofs.of(trigger.mark), ...this.#weakAcks(trigger)],
      rateLimitedUntil: isFree
        ? undefined
        : rateLimitedUntil(recentTriggers(db, trigger, since), now, settings.rate),
      isThreadBlocked: thread?.state.kind === 'blocked',
    }
  }

  /**
   * Only for a session whose last words are on the screen: its operator may have begun another one there,
   * and nobody would see what becomes of the prompt. What is queued for one that he has interrupted may
   * wait until he types.
   */
  #channel(trigger: Trigger, runtime: Runtime, screen: Screen): TargetObservation['channel'] {
    const { herd, channels } = this.#parts
    const { harness, sessionId } = runtime
    if (sessionId === undefined || !adapterFor(harness)?.managed?.channel) return 'none'
    if (!channels.has(runtime, trigger.text)) return 'none'
    const verdict = herd.session(sessionKey(harness, sessionId))?.verdict
    const hasEnded =
      verdict?.state === 'stuck' &&
      verdict.reason === 'stopped' &&
      (verdict.by === 'hook' || verdict.by === 'transcript')
    if (!hasEnded || isInterruption(verdict.ask)) return 'none'
    return endsOnScreen(verdict.ask.text, screen) ? 'open' : 'none'
  }

  #weakAcks(trigger: Trigger): Ack[] {
    const { agentId, threadId, runtimeId } = trigger
    const at = writeIn(trigger)?.claimedAt
    if (at === undefined) return []
    const { db } = this.#parts.context
    const cursor = threadId === undefined ? undefined : readCursor(db, threadId, agentId)
    const read = cursor && threadId && cursorAck(cursor, { agentId, threadId, at })
    const beat = heartbeatAck(readHeartbeat(db, runtimeId), { runtimeId, at })
    return [read, beat].filter((ack) => ack !== undefined && ack !== '')
  }

  /** The transcript, read by ourselves: what the hooks tell may be lost with their process. */
  async #search(
    trigger: Trigger,
    runtime: Runtime,
    pane: PanePresence,
  ): Promise<Pick<TargetObservation, 'records' | 'sessionId'>> {
    const { herd, proofs, context } = this.#parts
    const { harness, sessionId } = runtime
    if (!mayHaveBeenTaken(trigger)) return { records: 'read', sessionId }
    if (sessionId === undefined) return { records: 'unreadable', sessionId }
    const path = herd.session(sessionKey(harness, sessionId))?.transcript
    const reader = adapterFor(harness)?.transcript
    const found = await proofs.find(trigger.mark, { path, session: sessionId, reader })
    if (found === 'found')
      proofs.hear(trigger.mark, { kind: 'transcript', at: context.clock.now() })
    if (found === 'unreadable') return { records: 'unreadable', sessionId }
    return {
      records: pane === 'here' || pane === 'unseen' ? 'unread' : 'read',
      // One that was never begun cannot be gone on with.
      sessionId: found === 'absent' ? undefined : sessionId,
    }
  }

  #isLeftover(draft: string, { runtimeId }: Runtime): boolean {
    const [mark] = marksIn(draft)
    const earlier = mark && findTriggerOfMark(this.#parts.context.db, mark)
    if (!earlier || earlier.runtimeId !== runtimeId) return false
    return isLeftOf(draft, earlier, { operatorActiveAt: this.#operatorActiveAt.get(runtimeId) })
  }

  async #composer(runtime: Runtime): Promise<SeenComposer> {
    const { context, firstPrompts } = this.#parts
    const pane = paneOf(runtime)
    const managed = adapterFor(runtime.harness)?.managed
    if (!pane || !managed) return { composer: nothing('it has no pane') }
    if (firstPrompts.isExpected(runtime.runtimeId, context.clock.now())) {
      return { composer: nothing('it has not taken its first prompt yet') }
    }
    const screens = await captureByProcess(pane.socket, [pane.id])
    const seen = screens.get(pane.id)
    if (!seen || seen.pid !== pane.pid || seen.isDead) {
      return { composer: nothing('it is not there') }
    }
    const { screen, isInMode } = seen
    return isInMode
      ? { composer: nothing('somebody reads what scrolled away') }
      : { composer: managed.composer(screen), screen }
  }
}

function nothing(why: string): ComposerSight {
  return { kind: 'none', why }
}
