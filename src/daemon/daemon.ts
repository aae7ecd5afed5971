import { setTimeout as delay } from 'node:timers/promises'
import { CloseLook } from '../service/look-timer.ts'
import { loop, runSteps, type Step } from '../service/loop.ts'
import { followChanges, showChanges } from './follow-up.ts'
import type { DaemonSettings } from './home/settings.ts'
import { createParts, type Parts } from './parts.ts'

const COMPACT_AT_ONCE = 2_000
/** How long a start with many sessions catches up before the daemon answers. */
const FIRST_LOOK_MS = 200
const FEW_SESSIONS = 500

/** Starts the parts, runs their loops, and ends them. Whoever calls it holds the lock. */
export class Daemon implements AsyncDisposable {
  readonly #parts: Parts
  readonly #closeLook: CloseLook
  #timers: NodeJS.Timeout[] = []

  constructor(settings: DaemonSettings) {
    this.#parts = createParts(settings)
    const { programs, monitor } = this.#parts
    this.#closeLook = new CloseLook(
      () => programs.isExpecting || monitor.isExpecting,
      () => this.#each([() => programs.lookClosely(), () => monitor.lookClosely()]),
    )
  }

  /** Catches up on what happened while no daemon ran, then listens. */
  async start(): Promise<void> {
    const { servers, spool, inventory, monitor, supervised, listeners, projector, care } =
      this.#parts
    servers.recall()
    followChanges(this.#parts)
    spool.drain()
    await inventory.refreshAll()
    await servers.connect()
    const looked = this.#lookAtAll()
    await this.#forAWhile(looked)
    await monitor.lookFirst()
    // The supervisor must not act before the daemon has caught up.
    const supervise = () => supervised.supervisor?.start()
    if (this.#parts.progress.isCatchingUp) void this.#each([() => looked, supervise])
    else supervise()
    // What the start found is shown all at once.
    showChanges(this.#parts)
    await listeners.open()
    spool.follow()
    projector.projectAll()
    this.#startLoops()
    void this.#each([() => care.examine()])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const parts = this.#parts
    for (const timer of this.#timers) clearInterval(timer)
    parts.spool[Symbol.dispose]()
    this.#closeLook[Symbol.dispose]()
    parts.monitor[Symbol.dispose]()
    await parts.listeners[Symbol.asyncDispose]()
    await parts.supervised.supervisor?.[Symbol.asyncDispose]()
    parts.statuses[Symbol.dispose]()
    parts.transcripts[Symbol.dispose]()
    parts.herd[Symbol.dispose]()
    parts.servers.remember()
    await parts.projector.clearAll()
    await parts.links[Symbol.asyncDispose]()
    parts.care.close()
    parts.store[Symbol.dispose]()
  }

  async #lookAtAll(): Promise<void> {
    const { progress, herd } = this.#parts
    progress.isCatchingUp = true
    await this.#lookAround()
    progress.isCatchingUp = false
    herd.touch()
  }

  /** Waits for the first look; with many sessions only briefly, and the rest goes on in the background. */
  async #forAWhile(looked: Promise<void>): Promise<void> {
    const isLong = this.#parts.store.state.sessions.size > FEW_SESSIONS
    await (isLong
      ? Promise.race([looked, delay(FIRST_LOOK_MS, undefined, { ref: false })])
      : looked)
  }

  #lookAround(): Promise<void> {
    const { herd, statuses, programs, reconciler, transcripts } = this.#parts
    return this.#each([
      () =>
        herd.atOnce(() => {
          for (const session of herd.sessions()) statuses.follow(session)
          statuses.sweep()
        }),
      () => programs.look(),
      () => reconciler.check(),
      () => transcripts.sweep(),
    ])
  }

  #startLoops(): void {
    const { settings, herd, store, care, privacy, spool, listeners, retention } = this.#parts
    const { servers, inventory, links, terminals, projector } = this.#parts
    const { reconciler, statuses, transcripts, programs, monitor } = this.#parts
    const { reconcileMs, sweepMs, keepEvents } = settings.config
    this.#every(sweepMs, [
      () => spool.follow(),
      () => privacy.look(),
      () => servers.lookAtChanged(),
      () => reconciler.checkBusy(),
      () => statuses.sweepUnwatched(),
      () => statuses.confirm(herd.current(), herd.clock.now()),
      () => transcripts.sweepUnwatched(),
      () => programs.look(),
      () => terminals.isServing && links.askNews(),
      () => terminals.look(),
      () => monitor.look(),
      () => this.#closeLook.arm(),
    ])
    this.#every(reconcileMs, [
      () => care.requireStored(),
      () => listeners.lookAtHome(),
      () => herd.clock.noticeSuspend(),
      () => servers.connect(),
      () => inventory.refreshAndSet((socket) => projector.commandsFor(socket)),
      () => reconciler.check(),
      () => statuses.sweep(),
      () => statuses.confirm(herd.sessions(), herd.clock.now()),
      () => servers.forgetUnused(),
      () => transcripts.sweep(),
      () => projector.projectChanged(),
      () => store.compact(keepEvents, COMPACT_AT_ONCE),
      () => retention.keep(),
    ])
  }

  #every(ms: number, steps: Step[]): void {
    this.#timers.push(loop(ms, () => this.#each(steps)))
  }

  #each(steps: Step[]): Promise<void> {
    return runSteps(steps, this.#parts.failed)
  }
}
