import type { Hono } from 'hono'
import type { Registry } from 'prom-client'
import type { Store } from '../store/store.ts'
import { hasSupervisedBefore } from '../store/tables/supervised-before.ts'
import { auditRoutes } from '../supervisor/audit/audit-routes.ts'
import { addSupervisorMetrics } from '../supervisor/audit/supervisor-metrics.ts'
import { bridgeRoutes } from '../supervisor/bridge-routes.ts'
import { notSupervised } from '../supervisor/context/not-supervised.ts'
import { dispatchRoutes } from '../supervisor/dispatch-routes.ts'
import { supervisorRoutes } from '../supervisor/routes.ts'
import { Supervisor } from '../supervisor/supervisor.ts'
import { addAnswerTimes } from './figures/answer-times.ts'
import type { Herd } from './herd/herd.ts'
import type { DaemonSettings } from './home/settings.ts'
import type { Monitor } from './monitor/monitor.ts'

/** The supervisor, where a workspace is configured or was once, and what can be asked of it. */
export type Supervised = {
  supervisor: Supervisor | undefined
  routes: Hono[]
  addMetrics(registry: Registry): void
  /** What of the configuration will not do. */
  problems(): string[]
}

export function createSupervised(
  { config, log, env, sockets }: DaemonSettings,
  { db }: Store,
  herd: Herd,
  monitor: Pick<Monitor, 'viewOf'>,
): Supervised {
  const [socket] = sockets
  const hasWorkspaces = Object.keys(config.workspaces).length > 0
  // What runs from before can still be listed and stopped when its workspace is gone.
  const isSupervised = hasWorkspaces || hasSupervisedBefore(db)
  const supervisor =
    isSupervised && socket !== undefined
      ? new Supervisor({ db, herd, config, log, env, socket, monitor })
      : undefined
  const required = (): Supervisor => {
    if (supervisor) return supervisor
    throw notSupervised()
  }
  return {
    supervisor,
    problems: () => supervisor?.context.workspaces.problems() ?? [],
    addMetrics: (registry) => {
      addAnswerTimes(registry, { db, herd })
      if (supervisor) addSupervisorMetrics(registry, { db })
    },
    routes: [
      auditRoutes({ db, herd, isSupervised: supervisor !== undefined }),
      supervisorRoutes(required),
      dispatchRoutes(required),
      bridgeRoutes(() => {
        const { bridge, tokens } = required()
        return { bridge, tokens, log }
      }),
    ],
  }
}
