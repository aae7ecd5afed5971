import type { Hono } from 'hono'
import type { Store } from '../store/store.ts'
import type { Herd } from './herd.ts'
import type { DaemonSettings } from './settings.ts'
import { auditRoutes } from './supervisor/audit-routes.ts'
import { supervisorRoutes } from './supervisor/routes.ts'
import { Supervisor } from './supervisor/supervisor.ts'

/** The supervisor where a workspace is configured, and what can be asked of it. */
export type Supervised = { supervisor: Supervisor | undefined; routes: Hono[] }

export function createSupervised(
  { config, log, env, sockets }: DaemonSettings,
  { db }: Store,
  herd: Herd,
): Supervised {
  const [socket] = sockets
  const isSupervised = Object.keys(config.workspaces).length > 0 && socket !== undefined
  const supervisor = isSupervised
    ? new Supervisor({ db, herd, config, log, env, socket })
    : undefined
  return {
    supervisor,
    routes: [
      auditRoutes({ db, herd, isSupervised }),
      ...(supervisor ? [supervisorRoutes(supervisor)] : []),
    ],
  }
}
