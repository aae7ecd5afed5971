import { Hono } from 'hono'
import { DispatchBody, type DispatchesView, DispatchNameBody } from '../contract/dispatch.ts'
import { TrailBossError } from '../core/errors.ts'
import { bodyOf } from '../service/request-body.ts'
import { operatorNamed } from './context/context.ts'
import type { Supervisor } from './supervisor.ts'

const LINES = 200

/** Tasks for agents of their own. `supervisor` is called with each request, and throws if there is none. */
export function dispatchRoutes(supervisor: () => Supervisor): Hono {
  const routes = new Hono()

  routes.get('/dispatches', (c) => {
    const { dispatches, dispatchViews } = supervisor()
    const { name, running } = c.req.query()
    const found =
      name === undefined
        ? dispatches.list(running === undefined ? undefined : running === '1')
        : [dispatches.require(name)]
    return c.json({ dispatches: found.map(dispatchViews.view) } satisfies DispatchesView)
  })
  routes.get('/dispatches/logs', async (c) => {
    const { dispatches, dispatchViews } = supervisor()
    const { name, lines } = c.req.query()
    if (name === undefined) throw new TrailBossError('BAD_REQUEST', 'Whose logs? Say ?name=…')
    const wanted = Number(lines ?? LINES)
    const most = Number.isInteger(wanted) && wanted > 0 ? wanted : LINES
    return c.json(await dispatchViews.logs(dispatches.require(name), most))
  })
  routes.post('/dispatches', async (c) => {
    const { dispatches, dispatchViews } = supervisor()
    const { by, ...request } = await bodyOf(DispatchBody, c.req.raw)
    const dispatch = await dispatches.create({ ...request, by: operatorNamed(by) })
    return c.json(dispatchViews.view(dispatch), 202)
  })
  for (const act of ['stop', 'accept'] as const) {
    routes.post(`/dispatches/${act}`, async (c) => {
      const { dispatches, dispatchViews } = supervisor()
      const { name, by } = await bodyOf(DispatchNameBody, c.req.raw)
      return c.json(dispatchViews.view(await dispatches[act](name, operatorNamed(by))), 202)
    })
  }
  return routes
}
