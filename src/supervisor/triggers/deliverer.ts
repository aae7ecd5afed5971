import { redactedScreen } from '../../core/redact/redaction.ts'
import type { Cursor } from '../../core/screen/screen.ts'
import { afterRuntimeEvent, paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import type { RuntimeEvent } from '../../core/supervisor/runtime/runtime-transition.ts'
import type { Ack } from '../../core/supervisor/trigger/ack.ts'
import type { TargetObservation } from '../../core/supervisor/trigger/target-observation.ts'
import { IN_HAND, isSettled, type Trigger } from '../../core/supervisor/trigger/trigger.ts'
import {
  type ActionResult,
  afterAction,
  recoveredTrigger,
  type TriggerAction,
} from '../../core/supervisor/trigger/trigger-outcome.ts'
import { triggerStep } from '../../core/supervisor/trigger/trigger-step.ts'
import { displayText } from '../../core/text.ts'
import type { KeyedMutex } from '../../service/keyed-mutex.ts'
import { listTriggers, moveTrigger, readTrigger } from '../../store/tables/triggers.ts'
import { pasteInto, pressKey, type WriteResult } from '../../tmux/write/guarded-write.ts'
import { type AuditEntry, audit, OURSELVES, type SupervisorContext } from '../context/context.ts'
import type { AgentTerminator } from '../runtimes/agent-terminator.ts'
import type { HandOver, PromptChannels } from '../runtimes/prompt-channel.ts'
import type { Registry } from '../runtimes/registry.ts'
import type { RuntimeReconciler } from '../runtimes/runtime-reconciler.ts'
import type { TargetObserver } from './target-observer.ts'
import { auditOf, unreportedWrites } from './trigger-audit.ts'

export type DelivererParts = {
  context: SupervisorContext
  registry: Registry
  mutex: KeyedMutex
  observer: TargetObserver
  reconciler: Pick<RuntimeReconciler, 'relaunch'>
  channels: PromptChannels
  terminator: AgentTerminator
  /** What a session that starts over gets, including the trigger's own text. */
  promptFor(trigger: Trigger, runtime: Runtime): string
  settled(trigger: Trigger): void
}

const LONGEST_WAIT_MS = 60_000
/** A program draws what it has reported a moment later. */
const DRAWING_MS = 150

/**
 * Delivers triggers to their runtimes: looks, has the core decide, stores the decision, and only then acts. It
 * delivers one trigger per runtime at a time, the oldest first.
 */
export class Deliverer implements Disposable {
  readonly #parts: DelivererParts
  readonly #timers = new Map<string, { timer: NodeJS.Timeout; dueAt: number }>()
  readonly #waitsFor = new Map<string, string>()
  #isOver = false

  constructor(parts: DelivererParts) {
    this.#parts = parts
  }

  /** Triggers that were being delivered when an earlier run ended: nobody knows how far they got. */
  recover(): void {
    const { context } = this.#parts
    for (const trigger of listTriggers(context.db, { states: IN_HAND })) {
      this.#store(trigger, recoveredTrigger(trigger, context.clock.now()))
      for (const entry of unreportedWrites(context.db, trigger)) this.#audit(trigger, entry)
    }
    for (const runtimeId of this.#waiting()) this.look(runtimeId)
  }

  /** Something happened that may let a delivery continue. */
  look(runtimeId: string, afterMs = 0): void {
    clearTimeout(this.#timers.get(runtimeId)?.timer)
    this.#timers.delete(runtimeId)
    if (this.#isOver) return
    const waitMs = Math.min(afterMs, LONGEST_WAIT_MS)
    const run = () => {
      this.#timers.delete(runtimeId)
      void this.#parts.mutex
        .run(runtimeId, () => this.#step(runtimeId))
        .catch((error) => this.#failed(runtimeId, error))
    }
    this.#timers.set(runtimeId, {
      timer: setTimeout(run, waitMs),
      dueAt: performance.now() + waitMs,
    })
  }

  /** Its agent has done something: the screen may now show what a delivery is waiting for. */
  agentActive(runtimeId: string): void {
    const waiting = this.#timers.get(runtimeId)
    if (waiting && waiting.dueAt > performance.now() + DRAWING_MS) this.look(runtimeId, DRAWING_MS)
  }

  /** A proof settles it at once, whatever else is going on. */
  prove(trigger: Trigger, ack: Ack): void {
    const { context, registry, observer } = this.#parts
    const runtime = registry.find(trigger.runtimeId)
    if (!runtime || isSettled(trigger)) return
    const observed = { ...observer.unseen(trigger, runtime), acks: [ack] }
    const outcome = triggerStep(trigger, observed, context.clock.now(), context.settings)
    if (outcome.act.kind === 'settle') this.#settle(trigger, outcome)
    this.look(trigger.runtimeId)
  }

  /** What keeps a trigger from its runtime, in a sentence; undefined if nothing does. */
  waitsFor({ id }: Trigger): string | undefined {
    return this.#waitsFor.get(id)
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    for (const { timer } of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  async #step(runtimeId: string): Promise<void> {
    const { context, registry, observer } = this.#parts
    const runtime = registry.find(runtimeId)
    const next = this.#next(runtimeId)
    if (this.#isOver || !runtime || !next) return
    const observed = await observer.look(next, runtime)
    // During the look, a proof may have come, or the operator may have cancelled it.
    const trigger = readTrigger(context.db, next.id)
    const latest = registry.find(runtimeId)
    if (!trigger || !latest || this.#isOver) return
    if (trigger.state !== next.state || latest.status !== runtime.status)
      return this.look(runtimeId)
    const outcome = triggerStep(trigger, observed, context.clock.now(), context.settings)
    if (outcome.act.kind === 'settle') {
      this.#settle(trigger, { ...outcome, trigger: withScreen(outcome.trigger, observed.lines) })
      return this.look(runtimeId)
    }
    if (!this.#store(trigger, outcome.trigger, outcome.event)) return this.look(runtimeId)
    this.#notice(outcome.trigger, outcome.act, observed)
    if (outcome.act.kind === 'wait') {
      return this.look(runtimeId, Math.max(0, outcome.act.until - context.clock.now()))
    }
    await this.#carryOut(outcome.trigger, latest, outcome.act, observed.cursor)
    this.look(runtimeId)
  }

  /** `runtime` is as it was observed: a runtime that is about to be relaunched has lost its pane since. */
  async #carryOut(
    trigger: Trigger,
    runtime: Runtime,
    act: TriggerAction,
    cursor: Cursor | undefined,
  ): Promise<void> {
    const { context } = this.#parts
    const result = await this.#act(trigger, runtime, act, cursor)
    const latest = readTrigger(context.db, trigger.id)
    // A proof that came in the meantime has settled it.
    if (!latest || isSettled(latest)) return
    const outcome = afterAction(latest, act, result, context.clock.now(), context.settings)
    this.#store(latest, outcome.trigger, outcome.event)
  }

  async #act(
    trigger: Trigger,
    runtime: Runtime,
    act: TriggerAction,
    cursor: Cursor | undefined,
  ): Promise<ActionResult> {
    const pane = paneIn(runtime)
    switch (act.kind) {
      case 'claim-and-write': {
        const payload = act.text
        if (act.by === 'channel') {
          const handed = await this.#parts.channels.handOver(runtime, payload)
          this.#auditWrite(trigger, { kind: 'channel_written', payload }, handed)
          return resultOf(handed)
        }
        const written = pane ? await pasteInto(pane, payload, cursor) : GONE
        this.#auditWrite(trigger, { kind: 'pane_written', payload }, written)
        return resultOf(written)
      }
      case 'press-enter': {
        const pressed = pane ? await pressKey(pane, 'Enter', cursor) : GONE
        this.#auditWrite(trigger, { kind: 'key_pressed', detail: 'Enter' }, pressed)
        return resultOf(pressed)
      }
      case 'stop':
        await this.#parts.terminator.end(runtime, act.manner)
        return 'done'
      case 'fallback': {
        const prompt = act.how === 'spawn' ? this.#parts.promptFor(trigger, runtime) : act.prompt
        return this.#parts.reconciler.relaunch(runtime, act.how, prompt)
      }
      case 'wait':
      case 'settle':
      case 'none':
        return 'done'
      default:
        return act satisfies never
    }
  }

  #notice({ id }: Trigger, act: TriggerAction, observed: TargetObservation): void {
    const obstacle = act.kind === 'wait' ? obstacleIn(observed) : undefined
    // What tmux refused is shown until the next look finds something else.
    if (obstacle) this.#waitsFor.set(id, obstacle)
    else if (act.kind !== 'wait') this.#waitsFor.delete(id)
  }

  #settle(trigger: Trigger, outcome: ReturnType<typeof triggerStep>): void {
    if (!this.#store(trigger, outcome.trigger, outcome.event)) return
    this.#waitsFor.delete(trigger.id)
    this.#parts.settled(outcome.trigger)
  }

  /** Stores trigger, runtime and audit together. False if somebody else has moved the trigger. */
  #store(from: Trigger, to: Trigger, event?: RuntimeEvent): boolean {
    const { context, registry } = this.#parts
    const { clock, settings } = context
    const hasMoved = JSON.stringify(from) !== JSON.stringify(to)
    return registry.change(() => {
      if (hasMoved && !moveTrigger(context.db, from, to)) return false
      const runtime = registry.find(from.runtimeId)
      const after =
        runtime && event && afterRuntimeEvent(runtime, event, clock.now(), settings.restart)
      if (after) registry.save(after)
      for (const entry of auditOf(from, to)) this.#audit(to, entry)
      return true
    })
  }

  #auditWrite(
    trigger: Trigger,
    entry: Pick<AuditEntry, 'kind' | 'detail' | 'payload'>,
    written: WriteResult | HandOver,
  ): void {
    const result = written.kind === 'sent' ? 'ok' : `${written.kind}: ${written.why}`
    if (written.kind !== 'sent') {
      const who = entry.kind === 'channel_written' ? 'Its own channel' : 'tmux'
      this.#waitsFor.set(trigger.id, `${who} did not take it: ${written.why}.`)
    }
    this.#audit(trigger, { ...entry, actor: trigger.force?.by ?? OURSELVES, result })
  }

  #audit({ id, agentId, runtimeId, threadId }: Trigger, entry: AuditEntry): void {
    const about = { agentId, runtimeId, triggerId: id, ...(threadId && { threadId }) }
    audit(this.#parts.context, { ...about, ...entry })
  }

  #waiting(): Set<string> {
    const { context } = this.#parts
    const states = ['queued', 'deferred', ...IN_HAND] as const
    return new Set(listTriggers(context.db, { states }).map(({ runtimeId }) => runtimeId))
  }

  /** The one being delivered, else the oldest. */
  #next(runtimeId: string): Trigger | undefined {
    const { db } = this.#parts.context
    const [inHand] = listTriggers(db, { runtimeId, states: IN_HAND })
    return inHand ?? listTriggers(db, { runtimeId, states: ['queued', 'deferred'] })[0]
  }

  #failed(runtimeId: string, error: unknown): void {
    const { log, settings } = this.#parts.context
    log.error({ runtime: runtimeId, error: String(error) }, 'delivery failed')
    this.look(runtimeId, settings.delivery.recheckMs)
  }
}

/** Saves what a failure showed, for whoever has to find out why. */
function withScreen(trigger: Trigger, lines: readonly string[] | undefined): Trigger {
  if (trigger.state !== 'failed' || !lines) return trigger
  const shown = lines.join('\n').trimEnd()
  return { ...trigger, screen: redactedScreen(displayText(shown)) }
}

function obstacleIn({ status, composer }: TargetObservation): string | undefined {
  if (status === 'starting' || status === 'offline') return `Its runtime is ${status}.`
  return composer.kind === 'none'
    ? `Its composer is not visible (${composer.why}); the trigger waits.`
    : undefined
}

const GONE: WriteResult = { kind: 'refused', why: 'gone' }

function resultOf({ kind }: WriteResult | HandOver): ActionResult {
  return kind === 'sent' ? 'done' : kind
}
