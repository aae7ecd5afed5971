import { Hono } from 'hono'
import { WorkspacesReloadBody, type WorkspacesReloadView } from '../contract/workspaces.ts'
import { bodyOf } from '../service/request-body.ts'
import { operatorNamed } from './context/context.ts'

/** The workspaces of the configuration. `reload` throws if the file cannot be used. */
export function workspaceRoutes(reload: (actor: string) => WorkspacesReloadView): Hono {
  const routes = new Hono()
  routes.post('/workspaces/reload', async (c) => {
    const { by } = await bodyOf(WorkspacesReloadBody, c.req.raw)
    return c.json(reload(operatorNamed(by)))
  })
  return routes
}
