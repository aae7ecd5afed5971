import type { Hono } from 'hono'
import type { Registry } from 'prom-client'
import type { WorkspacesReloadView } from '../contract/workspaces.ts'
import type { Session } from '../core/session/session.ts'
import type { Store } from '../store/store.ts'
import { hasSupervisedBefore } from '../store/tables/supervised-before.ts'
import { auditRoutes } from '../supervisor/audit/audit-routes.ts'
import { addSupervisorMetrics } from '../supervisor/audit/supervisor-metrics.ts'
import { bridgeRoutes } from '../supervisor/bridge-routes.ts'
import { notSupervised } from '../supervisor/context/not-supervised.ts'
import { workspaceChanges } from '../supervisor/context/workspace-changes.ts'
import { dispatchRoutes } from '../supervisor/dispatch-routes.ts'
import { Replies } from '../supervisor/reply/replies.ts'
import { replyRoutes } from '../supervisor/reply/reply-routes.ts'
import { supervisorRoutes } from '../supervisor/routes.ts'
import { Supervisor } from '../supervisor/supervisor.ts'
import { takeWorkspaces } from '../supervisor/workspace-reload.ts'
import { workspaceRoutes } from '../supervisor/workspace-routes.ts'
import type { ServerLinks } from '../tmux/server-link/server-links.ts'
import type { Herd } from './herd/herd.ts'
import type { ConfigWatch } from './home/config-watch.ts'
import type { DaemonSettings } from './home/settings.ts'
import { addAnswerTimes } from './metrics/answer-times.ts'
import type { Monitor } from './monitor/monitor.ts'

/** The supervisor, if a workspace is or was configured, and its interface. */
export type Supervised = AsyncDisposable & {
  routes: Hono[]
  addMetrics(registry: Registry): void
  agentOf: Supervisor['agentOf']
  /** How many registered agents are in each state of their life. */
  agents(): Record<string, number>
  /** What is wrong with the configuration. */
  problems(): string[]
  /** Once the daemon has caught up: the supervisor must not act before. */
  start(): void
}

export type SupervisedParts = {
  settings: DaemonSettings
  configWatch: ConfigWatch
  store: Store
  herd: Herd
  monitor: Pick<Monitor, 'viewOf' | 'prompted'>
  links: ServerLinks
}

export function createSupervised(parts: SupervisedParts): Supervised {
  const { settings, configWatch, store, herd, monitor, links } = parts
  const { config, log, env, sockets } = settings
  const { db } = store
  let supervisor: Supervisor | undefined
  let registry: Registry | undefined
  let isStarted = false

  /** There is none until it is needed, and from then on there is one. */
  const superviseIfNeeded = (): void => {
    const [socket] = sockets
    const { workspaces } = configWatch
    // Older runtimes can still be listed and stopped when their workspace is gone.
    const isNeeded = Object.keys(workspaces).length > 0 || hasSupervisedBefore(db)
    if (supervisor || !isNeeded || socket === undefined) return
    const own = { workspaces, supervisor: config.supervisor }
    supervisor = new Supervisor({ db, herd, config: own, log, env, socket, monitor, links })
    if (registry) addSupervisorMetrics(registry, { db })
    if (isStarted) supervisor.start()
  }
  const required = (): Supervisor => {
    if (supervisor) return supervisor
    throw notSupervised()
  }
  const reload = (actor: string): WorkspacesReloadView => {
    const before = configWatch.workspaces
    configWatch.reload()
    const { file, workspaces: after } = configWatch
    const changes = workspaceChanges(before, after)
    superviseIfNeeded()
    const running = supervisor ? takeWorkspaces(supervisor, after, changes, actor) : []
    const known = Object.keys(after)
    return { file, known, ...changes, running, restart: configWatch.changed() }
  }

  superviseIfNeeded()
  const agentOf = (session: Session) => supervisor?.agentOf(session)
  // Off, nothing that types into the operator's panes even exists.
  const replies = config.reply
    ? new Replies({ db, herd, settings: config.supervisor, log, monitor, links, agentOf })
    : undefined
  return {
    agentOf,
    agents() {
      const states = Map.groupBy(supervisor?.registry.list() ?? [], ({ status }) => status)
      return Object.fromEntries([...states].map(([status, all]) => [status, all.length]))
    },
    problems: () => supervisor?.context.workspaces.problems() ?? [],
    addMetrics: (its) => {
      registry = its
      addAnswerTimes(its, { db, herd })
      if (supervisor) addSupervisorMetrics(its, { db })
    },
    start() {
      isStarted = true
      supervisor?.start()
    },
    routes: [
      auditRoutes({
        db,
        herd,
        get isSupervised() {
          return supervisor !== undefined
        },
      }),
      workspaceRoutes(reload),
      replyRoutes(replies),
      supervisorRoutes(required),
      dispatchRoutes(required),
      bridgeRoutes(() => {
        const { bridge, tokens } = required()
        return { bridge, tokens, log }
      }),
    ],
    [Symbol.asyncDispose]: async () => {
      await replies?.[Symbol.asyncDispose]()
      await supervisor?.[Symbol.asyncDispose]()
    },
  }
}
