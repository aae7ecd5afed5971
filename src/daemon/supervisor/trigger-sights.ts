import { cursorAck } from '../../core/bridge/cursor.ts'
import { heartbeatAck } from '../../core/bridge/heartbeat.ts'
import { sessionKey } from '../../core/event.ts'
import type { Ack } from '../../core/supervisor/ack.ts'
import type { ComposerSight } from '../../core/supervisor/composer.ts'
import { rateLimitedUntil } from '../../core/supervisor/rate-limit.ts'
import type { Runtime } from '../../core/supervisor/runtime.ts'
import { mayHaveBeenTaken, type Trigger } from '../../core/supervisor/trigger.ts'
import type { PanePresence, TriggerSight } from '../../core/supervisor/trigger-sight.ts'
import { adapterFor } from '../../harness/registry.ts'
import { readCursor, readHeartbeat, readThread } from '../../store/bridge.ts'
import { recentTriggers } from '../../store/triggers.ts'
import { operatorActivity } from '../../tmux/operator-activity.ts'
import { captureByProcess } from '../../tmux/screens.ts'
import type { Herd } from '../herd.ts'
import type { Acks } from './acks.ts'
import type { SupervisorContext } from './context.ts'
import type { FirstPrompts } from './first-prompts.ts'
import type { PromptSearch } from './prompt-search.ts'
import { paneOf, type RuntimeSights } from './runtime-sights.ts'

export type TriggerSightParts = {
  context: SupervisorContext
  herd: Herd
  sights: RuntimeSights
  acks: Acks
  search: PromptSearch
  firstPrompts: FirstPrompts
}

/** All that can be known of a trigger's target, looked at now. */
export class TriggerSights {
  readonly #parts: TriggerSightParts
  /** When somebody last typed there, as long as anybody remembers: he may have gone meanwhile. */
  readonly #operatorActiveAt = new Map<string, number>()

  constructor(parts: TriggerSightParts) {
    this.#parts = parts
  }

  async look(trigger: Trigger, runtime: Runtime): Promise<TriggerSight> {
    const { context, sights } = this.#parts
    const { clock } = context
    const pane =
      (await sights.look([runtime], () => clock.now())).get(runtime.runtimeId)?.pane ?? 'unseen'
    const records = await this.#search(trigger, runtime, pane)
    const [composer, operatorActiveAt] =
      pane === 'here'
        ? await Promise.all([this.#composer(runtime), this.operatorActiveAt(runtime)])
        : [nothing(`the pane is ${pane}`), this.#operatorActiveAt.get(runtime.runtimeId)]
    return {
      ...this.#known(trigger, runtime),
      pane: composer === 'unseen' ? 'unseen' : pane,
      composer: composer === 'unseen' ? nothing('tmux did not answer') : composer,
      lookedAt: clock.now(),
      operatorActiveAt,
      records,
    }
  }

  /** What needs no look: enough to settle a trigger of which a proof was heard. */
  unseen(trigger: Trigger, runtime: Runtime): TriggerSight {
    return {
      ...this.#known(trigger, runtime),
      pane: 'unseen',
      composer: nothing('nobody looked'),
      lookedAt: 0,
      operatorActiveAt: this.#operatorActiveAt.get(runtime.runtimeId),
      records: 'unread',
    }
  }

  /** Where tmux does not answer, what was last known. */
  async operatorActiveAt(runtime: Runtime): Promise<number | undefined> {
    const { clock } = this.#parts.context
    const pane = paneOf(runtime)
    const known = this.#operatorActiveAt.get(runtime.runtimeId)
    if (!pane) return known
    const [activeAt] = await operatorActivity(pane.socket, [pane]).catch(() => [
      clock.toWall(clock.now()),
    ])
    if (activeAt === undefined) return known
    const latest = Math.max(known ?? 0, clock.fromWall(activeAt))
    this.#operatorActiveAt.set(runtime.runtimeId, latest)
    return latest
  }

  forget(runtimeId: string): void {
    this.#operatorActiveAt.delete(runtimeId)
  }

  #known(trigger: Trigger, runtime: Runtime) {
    const { db, clock, settings } = this.#parts.context
    const now = clock.now()
    const since = now - settings.rate.windowMs
    const { status, sessionId, lastHeartbeatAt, failures, wantsRunning } = runtime
    const thread = trigger.threadId === undefined ? undefined : readThread(db, trigger.threadId)
    const isFree = trigger.claimedAt !== undefined || trigger.force !== undefined
    return {
      status,
      sessionId,
      lastHeartbeatAt,
      failures,
      wantsRunning,
      channel: 'none' as const,
      acks: [...this.#parts.acks.of(trigger.mark), ...this.#weakAcks(trigger)],
      rateLimitedUntil: isFree
        ? undefined
        : rateLimitedUntil(recentTriggers(db, trigger, since), now, settings.rate),
      isThreadBlocked: thread?.state.kind === 'blocked',
    }
  }

  #weakAcks({ agentId, threadId, runtimeId, claimedAt }: Trigger): Ack[] {
    if (claimedAt === undefined) return []
    const { db } = this.#parts.context
    const cursor = threadId === undefined ? undefined : readCursor(db, threadId, agentId)
    const read = cursor && threadId && cursorAck(cursor, { agentId, threadId, at: claimedAt })
    const beat = heartbeatAck(readHeartbeat(db, runtimeId), { runtimeId, at: claimedAt })
    return [read, beat].filter((ack) => ack !== undefined && ack !== '')
  }

  /** The transcript, read by ourselves: what the hooks tell may be lost with their process. */
  async #search(
    trigger: Trigger,
    runtime: Runtime,
    pane: PanePresence,
  ): Promise<TriggerSight['records']> {
    if (!mayHaveBeenTaken(trigger)) return 'read'
    const { herd, acks, search, context } = this.#parts
    const { harness, sessionId } = runtime
    if (sessionId === undefined) return 'unreadable'
    const path = herd.session(sessionKey(harness, sessionId))?.transcript
    const reader = adapterFor(harness)?.transcript
    const found = await search.find(trigger.mark, { path, session: sessionId, reader })
    if (found === 'found') acks.hear(trigger.mark, { kind: 'transcript', at: context.clock.now() })
    if (found === 'unreadable') return 'unreadable'
    return pane === 'here' || pane === 'unseen' ? 'unread' : 'read'
  }

  async #composer(runtime: Runtime): Promise<ComposerSight | 'unseen'> {
    const { context, firstPrompts } = this.#parts
    const pane = paneOf(runtime)
    const managed = adapterFor(runtime.harness)?.managed
    if (!pane || !managed) return nothing('it has no pane')
    if (firstPrompts.isExpected(runtime.runtimeId, context.clock.now())) {
      return nothing('it has not taken its first prompt yet')
    }
    const screens = await captureByProcess(pane.socket, [pane.paneId]).catch(() => undefined)
    if (!screens) return 'unseen'
    const seen = screens.get(pane.paneId)
    if (!seen || seen.pid !== pane.panePid || seen.isDead) return nothing('it is not there')
    return seen.isInMode
      ? nothing('somebody reads what scrolled away')
      : managed.composer(seen.screen)
  }
}

function nothing(why: string): ComposerSight {
  return { kind: 'none', why }
}
