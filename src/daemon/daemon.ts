import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../core/errors.ts'
import { readOwnScreenRules } from '../harness/own-screen-rules.ts'
import { createScreenReader, type ScreenReader } from '../harness/screen-reader.ts'
import { AdmissionClock } from '../service/clock.ts'
import { CloseLook } from '../service/look-timer.ts'
import { loop, runSteps, type Step } from '../service/loop.ts'
import { Store } from '../store/store.ts'
import { readEpisodeStats } from '../store/tables/episodes.ts'
import { type AuditRetention, createAuditRetention } from '../supervisor/audit/audit-retention.ts'
import type { PanesNews } from '../tmux/control/panes-subscription.ts'
import { createMetrics } from './figures/metrics.ts'
import { followUp } from './follow-up.ts'
import { Herd } from './herd/herd.ts'
import { HomePrivacy } from './home/home-privacy.ts'
import type { DaemonSettings } from './home/settings.ts'
import type { AppParts } from './http/app.ts'
import { Listeners } from './http/listeners.ts'
import { createIngest, type Ingest } from './ingest/ingest.ts'
import { Spool } from './ingest/spool.ts'
import { Monitor } from './monitor/monitor.ts'
import { ControlClients } from './panes/control-clients.ts'
import { KnownServers } from './panes/known-servers.ts'
import { PaneInventory } from './panes/pane-inventory.ts'
import { Programs } from './programs/programs.ts'
import { ServerTerminals } from './programs/server-terminals.ts'
import { Projector } from './projection/projector.ts'
import { MissingAsks } from './sessions/missing-asks.ts'
import { createProgramSessions } from './sessions/program-session.ts'
import { Reconciler } from './sessions/reconcile.ts'
import { StatusFollower } from './status/status-follower.ts'
import { createStoreCare } from './store/store-care.ts'
import { createSupervised, type Supervised } from './supervision.ts'
import { TranscriptFollower } from './transcript/transcript-follower.ts'
import { statusOf } from './views/status-view.ts'
import { createViews } from './views/views.ts'

const COMPACT_AT_ONCE = 2_000
/** How long a start with many sessions looks at what happened meanwhile before it answers. */
const FIRST_LOOK_MS = 200
const FEW_SESSIONS = 500
const CATCHING_UP =
  'Trail Boss has just started and is still checking what happened meanwhile: the queue may change.'

/** Puts the parts together and runs their loops. Whoever calls it holds the lock. */
export class Daemon implements AsyncDisposable {
  readonly #settings: DaemonSettings
  readonly #store: Store
  readonly #herd: Herd
  readonly #controls: ControlClients
  readonly #inventory: PaneInventory
  readonly #terminals: ServerTerminals
  readonly #ingest: Ingest
  readonly #spool: Spool
  readonly #care: ReturnType<typeof createStoreCare>
  readonly #projector: Projector
  readonly #reconciler: Reconciler
  readonly #statuses: StatusFollower
  readonly #screens: ScreenReader
  readonly #programs: Programs
  readonly #monitor: Monitor
  readonly #transcripts: TranscriptFollower
  readonly #supervised: Supervised
  readonly #retention: AuditRetention
  readonly #closeLook = new CloseLook(
    () => this.#programs.isExpecting || this.#monitor.isExpecting,
    () => this.#each([() => this.#programs.lookClosely(), () => this.#monitor.lookClosely()]),
  )
  readonly #listeners: Listeners
  readonly #servers: KnownServers
  readonly #privacy: HomePrivacy
  readonly #warnings: string[] = []
  #timers: NodeJS.Timeout[] = []
  #isCatchingUp = false

  constructor(settings: DaemonSettings) {
    this.#settings = settings
    const { log, paths, config } = settings
    this.#privacy = new HomePrivacy(paths, {
      warned: (warning) => log.warn({ warning }, 'warned'),
    })
    this.#store = new Store(paths.database)
    const failed = (error: unknown) => this.#failed(error)
    this.#herd = new Herd(this.#store, new AdmissionClock(this.#store.lastAdmittedAt), failed)
    const ignore = (harness: string, name: string) => {
      this.#store.ignore(harness, name, this.#herd.clock.now())
      log.debug({ harness, signal: name }, 'signal ignored')
    }
    this.#controls = new ControlClients(config.controlClient, log, (socket, news) =>
      this.#heardOf(socket, news),
    )
    this.#inventory = new PaneInventory(this.#controls.run, (socket) =>
      this.#controls.isConnected(socket),
    )
    const [herd, inventory, controls] = [this.#herd, this.#inventory, this.#controls]
    const servers = { always: settings.sockets, file: paths.servers }
    this.#servers = new KnownServers({ herd, inventory, controls, ...servers })
    this.#terminals = new ServerTerminals(herd, {
      programs: () => this.#programs,
      ingest: () => this.#ingest,
    })
    this.#ingest = createIngest({
      herd,
      inventory,
      placeFor: (key, told, server) => this.#terminals.placeFor(key, told, server),
      ignore,
    })
    const warn = (sentence: string) => this.#warn(sentence)
    this.#care = createStoreCare({ store: this.#store, herd, settings, warn })
    const { storeAtOnce } = this.#care
    this.#spool = new Spool({ paths, log, failed, storeAtOnce }, this.#ingest)
    const views = createViews(this.#herd, this.#inventory, {
      viewOf: (session) => this.#monitor.viewOf(session),
      viewIn: (paneId) => this.#monitor.viewIn(paneId),
    })
    this.#projector = new Projector(views, this.#inventory, this.#controls.run)
    this.#reconciler = new Reconciler(this.#herd, this.#inventory)
    this.#statuses = new StatusFollower({
      ingest: this.#ingest,
      inventory: this.#inventory,
      log,
      env: settings.env,
      checkProcess: (key) => this.#reconciler.checkNow(key),
      turnEnd: (key) => this.#herd.turnEnd(key),
    })
    this.#screens = createScreenReader(readOwnScreenRules(paths.screenRules))
    const { commands } = config.watch
    this.#programs = new Programs({ inventory, statuses: this.#statuses, commands })
    this.#monitor = new Monitor({
      programs: this.#programs,
      sessions: createProgramSessions(this.#herd, this.#ingest, this.#inventory),
      asks: new MissingAsks({ herd: this.#herd, ingest: this.#ingest, screens: this.#screens }),
      inventory: this.#inventory,
      controls: this.#controls,
      screens: this.#screens,
      pace: config.monitor,
      failed,
    })
    this.#transcripts = new TranscriptFollower(this.#herd, this.#ingest, log)
    this.#supervised = createSupervised(settings, this.#store, this.#herd, this.#monitor)
    this.#retention = createAuditRetention({
      db: this.#store.db,
      clock: this.#herd.clock,
      settings: config.supervisor,
      log,
    })
    const app: AppParts = {
      herd: this.#herd,
      views,
      ingest: this.#ingest,
      log,
      cooldownMs: () => config.skipCooldownMs,
      status: () =>
        statusOf(this.#herd, this.#inventory, this.#controls, {
          tcp: this.#listeners.tcp,
          warnings: [
            ...this.#privacy.warnings(),
            ...this.#care.warnings(),
            ...this.#warnings,
            ...(this.#isCatchingUp ? [CATCHING_UP] : []),
            ...this.#screens.problems(),
            ...this.#supervised.problems(),
          ],
        }),
      monitor: () => this.#monitor.view(),
      metrics: createMetrics(
        this.#herd,
        () => readEpisodeStats(this.#store.db),
        () => this.#transcripts.bytesRead,
        this.#supervised.addMetrics,
      ),
      requireStored: () => this.#care.requireStored(),
      knowServer: (socket) => void this.#servers.lookAt(socket),
      more: this.#supervised.routes,
    }
    this.#listeners = new Listeners(app, settings, warn)
    this.#care.report()
  }

  /** Reads what happened while nobody listened, then listens. */
  async start(): Promise<void> {
    this.#servers.recall()
    followUp({
      settings: this.#settings,
      herd: this.#herd,
      inventory: this.#inventory,
      servers: this.#servers,
      monitor: this.#monitor,
      transcripts: this.#transcripts,
      statuses: this.#statuses,
      projector: this.#projector,
      isOpen: () => this.#listeners.isOpen,
    })
    this.#spool.drain()
    await this.#inventory.refreshAll()
    await this.#servers.connect()
    const looked = this.#lookAtAll()
    await this.#forAWhile(looked)
    await this.#monitor.lookFirst()
    // It must not act on half of what there is to know.
    const supervise = () => this.#supervised.supervisor?.start()
    if (this.#isCatchingUp) void this.#each([() => looked, supervise])
    else supervise()
    await this.#listeners.open()
    this.#spool.follow()
    this.#projector.projectAll()
    this.#startLoops()
    void this.#each([() => this.#care.examine()])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.#spool[Symbol.dispose]()
    this.#closeLook[Symbol.dispose]()
    this.#monitor[Symbol.dispose]()
    await this.#listeners[Symbol.asyncDispose]()
    await this.#supervised.supervisor?.[Symbol.asyncDispose]()
    this.#statuses[Symbol.dispose]()
    this.#transcripts[Symbol.dispose]()
    this.#herd[Symbol.dispose]()
    this.#servers.remember()
    await this.#projector.clearAll()
    await this.#controls[Symbol.asyncDispose]()
    this.#care.close()
    this.#store[Symbol.dispose]()
  }

  async #lookAtAll(): Promise<void> {
    this.#isCatchingUp = true
    await this.#lookAround()
    this.#isCatchingUp = false
    this.#herd.touch()
  }

  /** What takes longer than anybody would wait for goes on while the daemon answers already. */
  async #forAWhile(looked: Promise<void>): Promise<void> {
    const isLong = this.#store.state.sessions.size > FEW_SESSIONS
    await (isLong
      ? Promise.race([looked, delay(FIRST_LOOK_MS, undefined, { ref: false })])
      : looked)
  }

  #lookAround(): Promise<void> {
    return this.#each([
      () =>
        this.#herd.atOnce(() => {
          for (const session of this.#herd.sessions()) this.#statuses.follow(session)
          this.#statuses.sweep()
        }),
      () => this.#programs.look(),
      () => this.#reconciler.check(),
      () => this.#transcripts.sweep(),
    ])
  }

  #startLoops(): void {
    const { reconcileMs, sweepMs, keepEvents } = this.#settings.config
    this.#every(sweepMs, [
      () => this.#spool.follow(),
      () => this.#privacy.look(),
      () => this.#servers.lookAtChanged(),
      () => this.#reconciler.checkBusy(),
      () => this.#statuses.sweepUnwatched(),
      () => this.#statuses.confirm(this.#herd.current(), this.#herd.clock.now()),
      () => this.#transcripts.sweepUnwatched(),
      () => this.#programs.look(),
      () => this.#terminals.isServing && this.#controls.askNews(),
      () => this.#terminals.look(),
      () => this.#monitor.look(),
      () => this.#closeLook.arm(),
    ])
    this.#every(reconcileMs, [
      () => this.#care.requireStored(),
      () => this.#listeners.lookAtHome(),
      () => this.#herd.clock.noticeSuspend(),
      () => this.#servers.connect(),
      () => this.#inventory.refreshAll((socket) => this.#projector.commandsFor(socket)),
      () => this.#reconciler.check(),
      () => this.#statuses.sweep(),
      () => this.#statuses.confirm(this.#herd.sessions(), this.#herd.clock.now()),
      () => this.#servers.forgetUnused(),
      () => this.#transcripts.sweep(),
      () => this.#projector.projectChanged(),
      () => this.#store.compact(keepEvents, COMPACT_AT_ONCE),
      () => this.#retention.keep(),
    ])
  }

  #every(ms: number, steps: Step[]): void {
    this.#timers.push(loop(ms, () => this.#each(steps)))
  }

  #each(steps: Step[]): Promise<void> {
    return runSteps(steps, (error) => this.#failed(error))
  }

  #failed(error: unknown): void {
    this.#settings.log.error({ reason: messageOf(error) }, 'loop failed')
  }

  #heardOf(socket: string, news: PanesNews): void {
    if (news && !this.#inventory.isListed(socket, news.panes)) void this.#servers.lookAt(socket)
    this.#terminals.news(socket, news)
    this.#monitor.news(socket, news)
  }

  #warn(sentence: string): void {
    if (!this.#warnings.includes(sentence)) this.#warnings.push(sentence)
    this.#settings.log.warn({ warning: sentence }, 'warned')
    this.#settings.say(`warning: ${sentence}`)
  }
}
