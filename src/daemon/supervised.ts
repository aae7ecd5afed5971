import type { Hono } from 'hono'
import type { Registry } from 'prom-client'
import type { Store } from '../store/store.ts'
import { addAnswerTimes } from './answer-times.ts'
import type { Herd } from './herd.ts'
import type { Monitor } from './monitor.ts'
import type { DaemonSettings } from './settings.ts'
import { auditRoutes } from './supervisor/audit-routes.ts'
import { bridgeRoutes } from './supervisor/bridge-routes.ts'
import { dispatchRoutes } from './supervisor/dispatch-routes.ts'
import { notSupervised } from './supervisor/not-supervised.ts'
import { supervisorRoutes } from './supervisor/routes.ts'
import { Supervisor } from './supervisor/supervisor.ts'
import { addSupervisorMetrics } from './supervisor/supervisor-metrics.ts'

/** The supervisor where a workspace is configured, and what can be asked of it. */
export type Supervised = {
  supervisor: Supervisor | undefined
  routes: Hono[]
  addMetrics(registry: Registry): void
}

export function createSupervised(
  { config, log, env, sockets }: DaemonSettings,
  { db }: Store,
  herd: Herd,
  monitor: Pick<Monitor, 'viewOf'>,
): Supervised {
  const [socket] = sockets
  const isSupervised = Object.keys(config.workspaces).length > 0 && socket !== undefined
  const supervisor = isSupervised
    ? new Supervisor({ db, herd, config, log, env, socket, monitor })
    : undefined
  const required = (): Supervisor => {
    if (supervisor) return supervisor
    throw notSupervised()
  }
  return {
    supervisor,
    addMetrics: (registry) => {
      addAnswerTimes(registry, { db, herd })
      if (supervisor) addSupervisorMetrics(registry, { db })
    },
    routes: [
      auditRoutes({ db, herd, isSupervised }),
      supervisorRoutes(required),
      dispatchRoutes(required),
      bridgeRoutes(() => {
        const { bridge, tokens } = required()
        return { bridge, tokens, log }
      }),
    ],
  }
}
