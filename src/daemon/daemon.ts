import { setTimeout as delay } from 'node:timers/promises'
import { LookTimer } from '../service/look-timer.ts'
import { loop, runSteps, type Step } from '../service/loop.ts'
import { followChanges, showChanges } from './change-listeners.ts'
import { type Components, createComponents } from './components.ts'
import type { DaemonSettings } from './home/settings.ts'

const COMPACT_AT_ONCE = 2_000
/** How long a start with many sessions catches up before the daemon answers. */
const FIRST_LOOK_MS = 200
const FEW_SESSIONS = 500

/** Starts the components, runs their loops, and ends them. Whoever calls it holds the lock. */
export class Daemon implements AsyncDisposable {
  readonly #components: Components
  readonly #lookTimer: LookTimer
  #timers: NodeJS.Timeout[] = []

  constructor(settings: DaemonSettings) {
    this.#components = createComponents(settings)
    const { programs, monitor } = this.#components
    this.#lookTimer = new LookTimer(
      () => programs.isExpecting || monitor.isExpecting,
      () => this.#each([() => programs.lookClosely(), () => monitor.lookClosely()]),
    )
  }

  /** Catches up on what happened while no daemon ran, then listens. */
  async start(): Promise<void> {
    const {
      servers,
      spool,
      inventory,
      monitor,
      supervised,
      listeners,
      projector,
      care,
      decisions,
      notices,
      drain,
    } = this.#components
    servers.recall()
    followChanges(this.#components)
    spool.empty()
    await inventory.refreshAll()
    await servers.connect()
    const looked = this.#lookAtAll()
    await this.#forAWhile(looked)
    await monitor.lookFirst()
    const supervise = () => supervised.start()
    if (this.#components.progress.isCatchingUp) void this.#each([() => looked, supervise])
    else supervise()
    decisions.start()
    // What the start found is shown all at once.
    showChanges(this.#components)
    await listeners.open()
    spool.follow()
    projector.projectAll()
    this.#startLoops()
    // Before all was looked at, it may have been answered already.
    void this.#each([() => looked, () => notices.start()])
    void this.#each([() => drain.start(inventory.reachable()), () => care.examine()])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const components = this.#components
    for (const timer of this.#timers) clearInterval(timer)
    components.spool[Symbol.dispose]()
    components.drain[Symbol.dispose]()
    // Their askers come back to the next daemon.
    components.decisions[Symbol.dispose]()
    components.notices[Symbol.dispose]()
    this.#lookTimer[Symbol.dispose]()
    components.monitor[Symbol.dispose]()
    await components.listeners[Symbol.asyncDispose]()
    await components.supervised[Symbol.asyncDispose]()
    components.statuses[Symbol.dispose]()
    components.transcripts[Symbol.dispose]()
    components.herd[Symbol.dispose]()
    components.servers.remember()
    await components.projector.clearAll()
    await components.links[Symbol.asyncDispose]()
    components.care.close()
    components.store[Symbol.dispose]()
  }

  async #lookAtAll(): Promise<void> {
    const { progress, herd } = this.#components
    progress.isCatchingUp = true
    await this.#lookAround()
    progress.isCatchingUp = false
    herd.touch()
  }

  /** Waits for the first look; with many sessions only briefly, and the rest continues in the background. */
  async #forAWhile(looked: Promise<void>): Promise<void> {
    const isLong = this.#components.store.state.sessions.size > FEW_SESSIONS
    await (isLong
      ? Promise.race([looked, delay(FIRST_LOOK_MS, undefined, { ref: false })])
      : looked)
  }

  #lookAround(): Promise<void> {
    const { herd, statuses, programs, reconciler, transcripts, background } = this.#components
    return this.#each([
      () =>
        herd.atOnce(() => {
          for (const session of herd.sessions()) statuses.follow(session)
          statuses.sweep()
        }),
      () => programs.look(),
      () => reconciler.check(),
      () => transcripts.sweep(),
      () => background.look(),
    ])
  }

  #startLoops(): void {
    const { settings, herd, store, care, privacy, spool, listeners, retention } = this.#components
    const { servers, inventory, links, terminals, projector } = this.#components
    const { reconciler, statuses, transcripts, programs, monitor, background } = this.#components
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
      () => background.look(),
      () => terminals.isServing && links.askNews(),
      () => terminals.look(),
      () => monitor.look(),
      () => this.#lookTimer.arm(),
    ])
    const halfway = () => this.#every(sweepMs, [() => reconciler.checkStoppable()])
    this.#timers.push(setTimeout(halfway, sweepMs / 2))
    this.#every(reconcileMs, [
      () => care.requireStored(),
      () => listeners.lookAtHome(),
      () => herd.clock.noticeSuspend(),
      () => herd.followWallClock(),
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
    return runSteps(steps, this.#components.failed)
  }
}
