import type { Warning } from '../contract/responses.ts'
import { messageOf } from '../core/errors.ts'
import { isSamePane } from '../core/pane.ts'
import type { Session } from '../core/session/session.ts'
import { readOwnScreenRules } from '../harness/own-screen-rules.ts'
import { ADAPTERS } from '../harness/registry.ts'
import { createScreenReader } from '../harness/screen-reader.ts'
import { AdmissionClock } from '../service/clock.ts'
import { Store } from '../store/store.ts'
import { readEpisodeStats } from '../store/tables/episodes.ts'
import { createAuditRetention } from '../supervisor/audit/audit-retention.ts'
import { createEscalations } from '../supervisor/context/escalations.ts'
import type { ServerLinks } from '../tmux/server-link/server-links.ts'
import { decisionIds, decisionItems } from './decisions/decision-items.ts'
import { decisionRoutes } from './decisions/decision-routes.ts'
import { Decisions } from './decisions/decisions.ts'
import { Drain } from './drain/drain.ts'
import { drainRoutes } from './drain/drain-routes.ts'
import { Herd } from './herd/herd.ts'
import { ConfigWatch } from './home/config-watch.ts'
import { HomePrivacy } from './home/home-privacy.ts'
import type { DaemonSettings, Warn } from './home/settings.ts'
import { createStoreCare } from './home/store-care.ts'
import { Listeners } from './http/listeners.ts'
import { createIngest, type Ingest } from './ingest/ingest.ts'
import { Spool } from './ingest/spool.ts'
import { createMetrics } from './metrics/metrics.ts'
import { Monitor } from './monitor/monitor.ts'
import { Mutes } from './notice/mutes.ts'
import { noticeRoutes } from './notice/notice-routes.ts'
import { Notices } from './notice/notices.ts'
import { KnownServers } from './panes/known-servers.ts'
import { PaneInventory } from './panes/pane-inventory.ts'
import { createServerLinks } from './panes/server-links.ts'
import { Programs } from './programs/programs.ts'
import { ServerTerminals } from './programs/server-terminals.ts'
import { BackgroundSessions } from './sessions/background-sessions.ts'
import { MissingAsks } from './sessions/missing-asks.ts'
import { createProgramSessions } from './sessions/program-session.ts'
import { Reconciler } from './sessions/reconcile.ts'
import { StatusFollower } from './status/status-follower.ts'
import { createSupervised, type Supervised } from './supervision.ts'
import { TranscriptFollower } from './transcript/transcript-follower.ts'
import { Projector } from './views/projector.ts'
import { statusOf } from './views/status-view.ts'
import { createViews } from './views/views.ts'

export type Components = ReturnType<typeof createComponents>

const CATCHING_UP =
  'Trail Boss has just started and is still checking what happened meanwhile: the queue may change.'

/** Creates the daemon's components. None of them does anything yet. */
export function createComponents(settings: DaemonSettings) {
  const { log, paths, config, env } = settings
  const warnings: Warning[] = []
  const warn: Warn = (text, kind = 'daemon') => {
    if (!warnings.some((warning) => warning.text === text)) warnings.push({ kind, text })
    log.warn({ warning: text }, 'warned')
    settings.say(`warning: ${text}`)
  }
  const failed = (error: unknown): void => {
    log.error({ reason: messageOf(error) }, 'loop failed')
  }
  /** The progress of the start. */
  const progress = { isCatchingUp: false }

  const privacy = new HomePrivacy(paths, { warned: (warning) => log.warn({ warning }, 'warned') })
  const store = new Store(paths.database)
  const herd = new Herd(store, new AdmissionClock(store.lastAdmittedAt), failed)
  const care = createStoreCare({ store, herd, settings, warn })

  const links: ServerLinks = createServerLinks(settings, {
    requests: (socket, now) => monitor.requests(socket, now),
    news(socket, news) {
      if (news && !inventory.isListed(socket, news.panes)) void servers.lookAt(socket)
      terminals.news(socket, news)
      monitor.news(socket, news)
    },
    failed,
  })
  const inventory = new PaneInventory(links)
  const known = { always: settings.sockets, file: paths.servers }
  const servers = new KnownServers({ herd, inventory, links, ...known })

  const later = { programs: (): Programs => programs, ingest: (): Ingest => ingest }
  const terminals = new ServerTerminals(herd, later)
  const ingest: Ingest = createIngest({
    herd,
    inventory,
    placeFor: (key, event, server) => terminals.placeFor(key, event, server),
    ignore: (harness, name) => {
      store.ignore(harness, name, herd.clock.now())
      log.debug({ harness, signal: name }, 'signal ignored')
    },
  })
  const spool = new Spool({ paths, log, failed, storeAtOnce: care.storeAtOnce }, ingest)

  const goesOn = (session: Session) => terminals.goesOn(session)
  const reconciler = new Reconciler(herd, inventory, goesOn)
  const statuses = new StatusFollower({
    ingest,
    inventory,
    log,
    env,
    checkProcess: (key) => reconciler.checkNow(key),
    turnEnd: (key) => herd.turnEnd(key),
  })
  const transcripts = new TranscriptFollower(herd, ingest, log)
  const programs = new Programs({ inventory, statuses, commands: config.watch.commands })
  const screens = createScreenReader(readOwnScreenRules(paths.screenRules))
  const monitor = new Monitor({
    programs,
    sessions: createProgramSessions(herd, ingest, inventory, goesOn),
    asks: new MissingAsks({ herd, ingest, screens }),
    inventory,
    links,
    screens,
    pace: config.monitor,
  })

  const decisions = new Decisions({
    db: store.db,
    escalations: createEscalations(herd),
    listed: () => decisionIds(herd.current()),
    touch: () => herd.touch(),
    failed,
  })
  const background = new BackgroundSessions({ herd, ingest, programs, statuses })
  const views = createViews(
    herd,
    inventory,
    monitor,
    (session) => supervised.agentOf(session),
    env['HOME'],
    decisionItems(decisions, env),
  )
  const projector = new Projector(views, inventory, links)
  const drain = new Drain({
    ask: links.ask,
    target: () => views.queue().items.find(({ ready, pane, open }) => ready && (pane || open)),
    isWaiting: (pane) => herd.queue().some((session) => isSamePane(session.pane, pane)),
    log,
    failed,
  })
  const configWatch = new ConfigWatch(settings)
  const supervised: Supervised = createSupervised({
    settings,
    configWatch,
    store,
    herd,
    monitor,
    links,
  })
  const retention = createAuditRetention({
    db: store.db,
    clock: herd.clock,
    settings: config.supervisor,
    log,
  })

  const mutes = new Mutes({
    db: store.db,
    sessions: () => herd.sessions(),
    view: views.session,
    find: (target, socket) => views.find(target, { socket }),
    harnesses: ADAPTERS.map(({ harness }) => harness),
  })
  const notices = new Notices({
    ...{ settings: config.notify, env, db: store.db, herd, views, mutes, failed },
    agentOf: (session) => supervised.agentOf(session),
    sockets: () => inventory.reachable(),
    ask: links.ask,
  })

  const general = (texts: readonly string[]): Warning[] =>
    texts.map((text) => ({ kind: 'daemon', text }))
  const allWarnings = (): Warning[] => [
    ...general(privacy.warnings()),
    ...care.warnings(),
    ...warnings,
    ...configWatch.warnings(),
    ...notices.warnings(),
    ...general(progress.isCatchingUp ? [CATCHING_UP] : []),
    ...general([...screens.problems(), ...supervised.problems()]),
  ]
  const app = {
    herd,
    views,
    ingest,
    log,
    cooldownMs: () => config.skipCooldownMs,
    status: () => ({
      ...statusOf(herd, inventory, links, listeners.tcp, allWarnings(), views.head()),
      configChanged: configWatch.changed(),
      agents: supervised.agents(),
    }),
    monitor: () => monitor.view(),
    metrics: createMetrics(
      herd,
      () => readEpisodeStats(store.db),
      () => transcripts.bytesRead,
      supervised.addMetrics,
    ),
    requireStored: care.requireStored,
    knowServer: (socket: string) => void servers.lookAt(socket),
    canReply: config.reply,
    more: [
      decisionRoutes(decisions),
      noticeRoutes(notices, mutes),
      drainRoutes(drain),
      ...supervised.routes,
    ],
  }
  const listeners: Listeners = new Listeners(app, settings, warn)
  care.report()

  return {
    ...{ settings, progress, failed, privacy, store, herd, care, links, inventory, servers },
    ...{ terminals, spool, reconciler, statuses, transcripts, programs, monitor, projector, views },
    ...{ background, decisions, notices, drain, supervised, retention, listeners },
  }
}
