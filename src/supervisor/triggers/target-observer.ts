import { cursorAck } from '../../core/bridge/cursor.ts'
import { heartbeatAck } from '../../core/bridge/heartbeat.ts'
import { endsOnScreen } from '../../core/screen/last-words.ts'
import type { Cursor, Screen } from '../../core/screen/screen.ts'
import { sessionKey } from '../../core/session/event.ts'
import type { PanePresence } from '../../core/supervisor/runtime/reconcile.ts'
import { paneIn, type Runtime, restartIn } from '../../core/supervisor/runtime/runtime.ts'
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
import { sha256 } from '../../store/tables/audit.ts'
import { readCursor, readHeartbeat, readThread } from '../../store/tables/bridge.ts'
import { findTriggerOfMark, recentTriggers } from '../../store/tables/triggers.ts'
import type { ServerLinks } from '../../tmux/server-link/server-links.ts'
import { operatorActivity } from '../../tmux/write/operator-activity.ts'
import type { SupervisorContext } from '../context/context.ts'
import type { Herd } from '../context/herd.ts'
import type { FirstPrompts } from '../runtimes/first-prompts.ts'
import type { PromptChannels } from '../runtimes/prompt-channel.ts'
import type { Registry } from '../runtimes/registry.ts'
import type { RuntimeObserver } from '../runtimes/runtime-observer.ts'
import type { Proofs } from './proofs.ts'
import { type SeenComposer, seenComposer } from './seen-composer.ts'
import type { TranscriptFinder } from './transcript-finder.ts'

export type TargetObserverParts = {
  context: SupervisorContext
  herd: Herd
  observer: RuntimeObserver
  proofs: Proofs
  firstPrompts: FirstPrompts
  channels: Pick<PromptChannels, 'has' | 'evidence'>
  finder: Pick<TranscriptFinder, 'find' | 'isTaken'>
  links: Pick<ServerLinks, 'ask' | 'screenOf'>
}

/** Includes the cursor, since text is written only while it is still there, and what the screen showed. */
export type SeenTarget = TargetObservation & {
  cursor: Cursor | undefined
  lines: readonly string[] | undefined
}

/** Looks now at everything that can be known of a trigger's target. */
export class TargetObserver {
  readonly #parts: TargetObserverParts
  /** When somebody last typed there. tmux forgets it when that client detaches. */
  readonly #operatorActiveAt = new Map<string, number>()
  /** The screen of each runtime, and since when it has stood still. */
  readonly #still = new Map<string, { name: string; since: number }>()

  constructor(parts: TargetObserverParts) {
    this.#parts = parts
  }

  async look(trigger: Trigger, runtime: Runtime): Promise<SeenTarget> {
    const { context, observer } = this.#parts
    const { clock } = context
    const pane =
      (await observer.look([runtime], () => clock.now())).get(runtime.runtimeId)?.pane ?? 'unseen'
    // The channel before the session: a prompt that has left the one is in the other.
    const inChannel = await this.#inChannel(trigger, runtime, pane)
    const records = await this.#search(trigger, runtime, pane)
    const seen: SeenComposer | undefined =
      pane === 'here' ? await this.#lookInto(runtime) : { composer: nothing(`the pane is ${pane}`) }
    const composer = seen?.composer
    return {
      ...this.#known(trigger, runtime),
      cursor: seen?.screen?.cursor,
      lines: seen?.screen?.lines,
      inChannel,
      channel: seen?.screen ? this.#channel(trigger, runtime, seen.screen) : 'none',
      pane: composer ? pane : 'unseen',
      composer: composer ?? nothing('tmux did not answer'),
      isLeftover: composer?.kind === 'text' && this.#isLeftover(composer.text, runtime),
      lookedAt: clock.now(),
      operatorActiveAt: this.#operatorActiveAt.get(runtime.runtimeId),
      ...records,
    }
  }

  /** What needs no look: enough to settle a trigger that has a proof. */
  unseen(trigger: Trigger, runtime: Runtime): TargetObservation {
    return {
      ...this.#known(trigger, runtime),
      pane: 'unseen',
      channel: 'none',
      inChannel: 'unknown',
      composer: nothing('nobody looked'),
      isLeftover: false,
      lookedAt: 0,
      operatorActiveAt: this.#operatorActiveAt.get(runtime.runtimeId),
      records: 'unread',
    }
  }

  /** When somebody last typed in the pane of each, by runtime. Throws if tmux does not answer. */
  async lookAtOperators(runtimes: readonly Runtime[]): Promise<ReadonlyMap<string, number>> {
    const { clock } = this.#parts.context
    const placed = runtimes.flatMap((runtime) => {
      const pane = paneIn(runtime)
      return pane ? [{ runtimeId: runtime.runtimeId, pane }] : []
    })
    for (const socket of new Set(placed.map(({ pane }) => pane.socket))) {
      const here = placed.filter(({ pane }) => pane.socket === socket)
      const panes = here.map(({ pane }) => pane)
      const activity = await operatorActivity(socket, panes, this.#parts.links.ask)
      for (const [index, { runtimeId }] of here.entries()) {
        const at = activity[index]
        if (at === undefined) continue
        const known = this.#operatorActiveAt.get(runtimeId) ?? 0
        this.#operatorActiveAt.set(runtimeId, Math.max(known, clock.fromWall(at)))
      }
    }
    return this.#operatorActiveAt
  }

  /** Remembers for each runtime whether somebody is typing there. */
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
    this.#still.delete(runtimeId)
  }

  /** Undefined if tmux does not answer: then somebody may be typing. */
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
      isRestarting: restartIn(runtime) !== undefined,
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
   * Only for a session whose last words are on the screen: its operator may have begun another one there, and
   * nobody would see what happens to the prompt. After the operator interrupts a session, what is queued for it
   * may wait until they type.
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

  /** Reads the transcript ourselves: hook reports may be lost with their process. */
  async #search(
    trigger: Trigger,
    runtime: Runtime,
    pane: PanePresence,
  ): Promise<Pick<TargetObservation, 'records' | 'sessionId'>> {
    const { herd, proofs, context, finder } = this.#parts
    const { harness } = runtime
    if (!mayHaveBeenTaken(trigger)) return { records: 'read', sessionId: runtime.sessionId }
    const own = pane === 'here' ? await finder.find(runtime, [trigger.mark]) : undefined
    const sessionId = own?.session ?? runtime.sessionId
    if (sessionId === undefined) return { records: 'unreadable', sessionId }
    const path = own?.path ?? herd.session(sessionKey(harness, sessionId))?.transcript
    const reader = adapterFor(harness)?.transcript
    const found = await proofs.find(trigger.mark, { path, session: sessionId, reader })
    if (found === 'found')
      proofs.hear(trigger.mark, { kind: 'transcript', at: context.clock.now() })
    if (found === 'unreadable') return { records: 'unreadable', sessionId }
    return {
      records: pane === 'here' || pane === 'unseen' ? 'unread' : 'read',
      // A session that never began cannot be resumed.
      sessionId: found === 'absent' ? undefined : sessionId,
    }
  }

  /** Only checked if the hand-over has no known result. `absent` also means that no session took it. */
  async #inChannel(
    trigger: Trigger,
    runtime: Runtime,
    pane: PanePresence,
  ): Promise<TargetObservation['inChannel']> {
    const { by, isUnsure } = writeIn(trigger) ?? {}
    if (by !== 'channel' || !isUnsure || pane !== 'here') return 'unknown'
    const { channels, finder } = this.#parts
    const evidence = channels.evidence(runtime, trigger.mark)
    if (evidence !== 'absent') return evidence
    return (await finder.isTaken(runtime, trigger.mark)) === false ? 'absent' : 'unknown'
  }

  #isLeftover(draft: string, { runtimeId }: Runtime): boolean {
    const [mark] = marksIn(draft)
    const earlier = mark && findTriggerOfMark(this.#parts.context.db, mark)
    if (!earlier || earlier.runtimeId !== runtimeId) return false
    return isLeftOf(draft, earlier, { operatorActiveAt: this.#operatorActiveAt.get(runtimeId) })
  }

  async #composer(runtime: Runtime): Promise<SeenComposer> {
    const { context, firstPrompts } = this.#parts
    const pane = paneIn(runtime)
    if (!pane) return { composer: nothing('it has no pane') }
    if (firstPrompts.isExpected(runtime.runtimeId, context.clock.now())) {
      return { composer: nothing('it has not taken its first prompt yet') }
    }
    const seen = await seenComposer(pane, runtime.harness, this.#parts.links)
    const { composer, screen } = seen
    return screen ? { composer: this.#settled(composer, runtime, screen), screen } : seen
  }

  /** The meaning of a screen may depend on how long it has stood still. */
  #settled(sight: ComposerSight, { runtimeId }: Runtime, { lines, cursor }: Screen): ComposerSight {
    const now = this.#parts.context.clock.now()
    const name = sha256(JSON.stringify([lines, cursor]))
    const known = this.#still.get(runtimeId)
    const still = known?.name === name ? known : { name, since: now }
    this.#still.set(runtimeId, still)
    if (sight.kind !== 'none' || !sight.whenStill) return sight
    return now - still.since >= sight.whenStill.afterMs ? sight.whenStill.sight : sight
  }
}

function nothing(why: string): ComposerSight {
  return { kind: 'none', why }
}
