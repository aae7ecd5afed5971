import type { DispatchBody } from '../../contract/dispatch.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import type { Session } from '../../core/session/session.ts'
import {
  DISPATCH_REASON,
  type Dispatch,
  finishedDispatch,
  isOver,
  newDispatch,
} from '../../core/supervisor/dispatch/dispatch.ts'
import { dispatchStep } from '../../core/supervisor/dispatch/dispatch-step.ts'
import type { Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { cancelledTrigger, isSettled, type Trigger } from '../../core/supervisor/trigger/trigger.ts'
import { displayLine, truncate } from '../../core/text.ts'
import { KeyedMutex } from '../../service/keyed-mutex.ts'
import { newId } from '../../service/new-id.ts'
import {
  findDispatch,
  findDispatchOfRuntime,
  listDispatches,
} from '../../store/tables/dispatches.ts'
import { listTriggers } from '../../store/tables/triggers.ts'
import { OURSELVES, type SupervisorContext } from '../context/context.ts'
import type { Registry } from '../runtimes/registry.ts'
import type { Runtimes } from '../runtimes/runtimes.ts'
import type { Triggers } from '../triggers/triggers.ts'
import { createDispatchActions, type DispatchActions } from './dispatch-actions.ts'
import type { DispatchLook, DispatchObserver } from './dispatch-observer.ts'
import { policyOfDispatch } from './dispatch-plan.ts'
import { createDispatchRecords, type DispatchRecords } from './dispatch-records.ts'
import { requireDispatch } from './dispatch-request.ts'

export type DispatchParts = {
  context: SupervisorContext
  registry: Registry
  runtimes: Runtimes
  triggers: Triggers
  observer: DispatchObserver
  /** The lock on runtimes: nobody else writes there in the meantime. */
  mutex: KeyedMutex
}

/** The pause while a change is expected, and the longest one. Most changes announce themselves. */
const SOON_MS = 1_000
const LONGEST_MS = 60_000

/**
 * Takes tasks from their launch to their end. Each step looks, has the core decide, stores the decision, and only
 * then acts: whenever it is killed, the next look continues from what was stored.
 */
export class Dispatches implements AsyncDisposable {
  readonly #parts: DispatchParts
  readonly #records: DispatchRecords
  readonly #acts: DispatchActions
  readonly #looks = new Map<string, { timer: NodeJS.Timeout; at: number }>()
  readonly #steps = new KeyedMutex()
  #isOver = false

  constructor(parts: DispatchParts) {
    this.#parts = parts
    const { context, registry } = parts
    this.#records = createDispatchRecords(context, registry, (dispatch) => this.#ended(dispatch))
    this.#acts = createDispatchActions({ ...parts, records: this.#records })
    parts.triggers.onSettled((trigger) => this.#settled(trigger))
  }

  /** Resumes the dispatches of an earlier run of the daemon. */
  recover(): void {
    for (const dispatch of this.#records.running()) {
      if (dispatch.escalated !== undefined) this.#records.escalate(dispatch)
      this.#look(dispatch.id)
    }
    for (const { runtimeId } of this.#parts.registry.list()) this.#release(runtimeId)
  }

  /** Throws if it cannot be started at all. */
  async create({ by, ...request }: Omit<DispatchBody, 'by'> & { by: string }): Promise<Dispatch> {
    const { context, registry, runtimes } = this.#parts
    const { plan, reviewer, prompt, leftover } = requireDispatch(context, registry, request)
    if (leftover) runtimes.deregister(leftover.agentId, by)
    const { workspaceId, harness, cwd } = plan
    const { name } = request
    const dispatch = registry.change(() => {
      const { runtimeId } = runtimes.register(plan, by)
      const told = { id: newId('dsp'), name, workspaceId, runtimeId, harness, cwd, prompt, by }
      const made = newDispatch({ ...told, reviewer }, context.clock.now())
      this.#records.save(undefined, made)
      return made
    })
    await this.#steps.run(dispatch.id, () => this.#acts.start(dispatch))
    this.#look(dispatch.id)
    return this.require(name)
  }

  list(isRunning?: boolean): Dispatch[] {
    const { db } = this.#parts.context
    return listDispatches(db, isRunning === undefined ? {} : { isRunning })
  }

  /** The latest of that name. */
  require(name: string): Dispatch {
    const found = findDispatch(this.#parts.context.db, name)
    if (found) return found
    const shown = truncate(displayLine(name), 60)
    throw new TrailBossError('NOT_FOUND', `There is no dispatch "${shown}".`, {
      hint: 'trailboss dispatch status names them.',
    })
  }

  /** Ends its agent, also after the dispatch has ended; that clears away an agent that has failed for good. */
  async stop(name: string, by: string): Promise<Dispatch> {
    const { registry, runtimes } = this.#parts
    const dispatch = this.require(name)
    const runtime = registry.find(dispatch.runtimeId)
    const isThere = runtime !== undefined && runtime.status !== 'stopped'
    if (isOver(dispatch) && !isThere) {
      throw new TrailBossError(
        'TOO_LATE',
        `Dispatch ${name} is ${dispatch.state} already, and nothing of its agent is left.`,
        { hint: `What was done for it: trailboss dispatch logs ${name}` },
      )
    }
    if (isThere) await runtimes.stop(dispatch.agentId, by)
    this.#records.end(dispatch, { state: 'stopped', why: STOPPED }, by)
    return this.require(name)
  }

  /** Accepts what it said last as its result, whatever else it asked. */
  accept(name: string, by: string): Dispatch {
    const { context, observer } = this.#parts
    const dispatch = this.require(name)
    if (dispatch.state !== 'working' && dispatch.state !== 'waiting') {
      throw new TrailBossError('TOO_LATE', `Dispatch ${name} is ${dispatch.state}.`, {
        hint: 'Only one that has its task and has not ended can be taken as done.',
      })
    }
    if (observer.asksPermission(dispatch)) {
      throw new TrailBossError('TOO_LATE', `Dispatch ${name} waits for a permission.`, {
        hint: 'Answer it in its pane first: prefix Tab takes you there.',
      })
    }
    const words = observer.saidOf(dispatch)
    if (words === undefined) {
      throw new TrailBossError('TOO_LATE', `Dispatch ${name} has said nothing yet.`, {
        hint: `Nothing is there to be its result. Wait until its turn has ended, or end it: trailboss dispatch stop ${name}`,
      })
    }
    const finished = finishedDispatch(dispatch, words, context.clock.now())
    this.#records.save(dispatch, finished, { by })
    this.#look(dispatch.id)
    return finished
  }

  /** A runtime has changed. If somebody stops it, its dispatch is stopped at once. */
  changed(runtime: Runtime): void {
    for (const dispatch of this.#records.running()) {
      const isOwn = dispatch.runtimeId === runtime.runtimeId && dispatch.state !== 'reviewing'
      if (isOwn && runtime.status === 'stopping') {
        this.#records.end(dispatch, { state: 'stopped', why: STOPPED })
      } else if (isOwn || dispatch.reviewer === runtime.agentId) this.#look(dispatch.id)
    }
    this.#release(runtime.runtimeId)
  }

  /** A session has changed: it may be the one at work. */
  heard({ id, harness }: Session): void {
    for (const dispatch of this.#records.running()) {
      const runtime = this.#parts.observer.runtimeOf(dispatch)
      if (runtime?.sessionId === id && runtime.harness === harness) this.#look(dispatch.id)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    for (const { timer } of this.#looks.values()) clearTimeout(timer)
    this.#looks.clear()
    await this.#steps.idle()
  }

  #settled(trigger: Trigger): void {
    const { runtimeId, agentId } = trigger
    this.#leaveToRuntime(trigger)
    this.#release(runtimeId)
    for (const { id, ...dispatch } of this.#records.running()) {
      if (dispatch.runtimeId === runtimeId || dispatch.reviewer === agentId) this.#look(id)
    }
  }

  /** If a task did not arrive because its runtime failed for good or was stopped, the operator already knows. */
  #leaveToRuntime({ id, runtimeId, reason, state }: Trigger): void {
    const { context, registry, triggers } = this.#parts
    const runtime = registry.find(runtimeId)
    const dispatch = findDispatchOfRuntime(context.db, runtimeId)
    if (state !== 'failed' || reason !== DISPATCH_REASON || !dispatch) return
    const hasFailed = runtime?.status === 'given-up'
    if (hasFailed || dispatch.state === 'stopped') triggers.cancel(id, OURSELVES)
  }

  #ended({ runtimeId, state }: Dispatch): void {
    if (state === 'stopped') takeBackTask(this.#parts.triggers, runtimeId)
    this.#release(runtimeId)
  }

  #release(runtimeId: string): void {
    releaseRuntime(this.#parts, runtimeId)
  }

  /** Of two planned looks, the earlier one counts. */
  #look(id: string, afterMs = 0): void {
    const at = performance.now() + afterMs
    const planned = this.#looks.get(id)
    if (this.#isOver || (planned && planned.at <= at)) return
    clearTimeout(planned?.timer)
    const run = () => {
      this.#looks.delete(id)
      void this.#steps.run(id, () => this.#step(id)).catch((error) => this.#failed(id, error))
    }
    this.#looks.set(id, { at, timer: setTimeout(run, afterMs) })
  }

  async #step(id: string): Promise<void> {
    const { context, observer } = this.#parts
    const before = this.#records.read(id)
    if (!before || isOver(before) || this.#isOver) return
    const look = await observer.look(before)
    // Somebody may have stopped it in the meantime.
    const latest = this.#records.read(id)
    if (!latest || isOver(latest) || this.#isOver) return
    if (latest.state !== before.state) return this.#look(id)
    const told = { policy: policyOfDispatch(context, latest), rules: context.settings }
    const { dispatch, act } = dispatchStep(latest, look.observed, context.clock.now(), told)
    this.#records.save(latest, dispatch, { screen: look.screen?.lines })
    await this.#acts.carryOut(dispatch, act, look)
    if (isOver(dispatch)) return
    const isMoving =
      latest.state !== dispatch.state || (act.kind !== 'none' && act.kind !== 'press')
    this.#look(id, isMoving ? 0 : this.#pauseMs(dispatch, look))
  }

  /** At the pace of the monitor, which looks at the same screen. */
  #pauseMs(dispatch: Dispatch, { nextLookAt }: DispatchLook): number {
    const { settings, clock } = this.#parts.context
    const now = clock.now()
    const settlesFrom = dispatch.idleAt ?? dispatch.dialog?.since
    if (settlesFrom !== undefined) {
      return Math.max(50, settlesFrom + settings.dispatch.settleMs - now)
    }
    // A restarted agent is soon seen waiting.
    const isBlind = dispatch.blindAt !== undefined && dispatch.state === 'working'
    const isWatched = dispatch.state === 'waiting' || (dispatch.state === 'working' && !isBlind)
    if (!isWatched || nextLookAt === undefined) return SOON_MS
    return Math.min(Math.max(nextLookAt - now, SOON_MS), LONGEST_MS)
  }

  #failed(id: string, error: unknown): void {
    this.#parts.context.log.error({ dispatch: id, reason: messageOf(error) }, 'dispatch failed')
    this.#look(id, SOON_MS)
  }
}

const STOPPED = 'Its agent was stopped.'

/**
 * Removes the runtime of a dispatch once both have ended. Its open triggers are settled first: without a runtime
 * nobody would settle them.
 */
function releaseRuntime(
  { context: { db }, registry, runtimes }: DispatchParts,
  runtimeId: string,
): void {
  const runtime = registry.find(runtimeId)
  if (runtime?.status !== 'stopped' || runtime.restartBy !== undefined) return
  const dispatch = findDispatchOfRuntime(db, runtimeId)
  if (!dispatch || !isOver(dispatch)) return
  if (listTriggers(db, { runtimeId }).some((trigger) => !isSettled(trigger))) return
  runtimes.deregister(runtime.agentId, OURSELVES)
}

/** Only if possible: a task that may already have been taken ends with its runtime. */
function takeBackTask(triggers: Triggers, runtimeId: string): void {
  for (const trigger of triggers.list({ runtimeId })) {
    const isOpen = trigger.state === 'failed' || cancelledTrigger(trigger, 0) !== undefined
    if (isOpen && trigger.reason === DISPATCH_REASON) triggers.cancel(trigger.id, OURSELVES)
  }
}
