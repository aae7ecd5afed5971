import { Hono } from 'hono'
import * as v from 'valibot'
import { socketPath } from '../../contract/agent-event.ts'
import type { DrainView } from '../../contract/responses.ts'
import { bodyOf } from '../../service/request-body.ts'
import { canonicalSocket } from '../../tmux/socket.ts'
import type { Drain } from './drain.ts'

const DrainBody = v.strictObject({
  socket: socketPath,
  client: v.pipe(v.string(), v.regex(/^\/dev\/[\w/.-]{1,100}$/, 'the name of a tmux client')),
  /** Without it, the client's mode is switched over. */
  drain: v.optional(v.boolean()),
})

export function drainRoutes(drain: Drain): Hono {
  const routes = new Hono()
  routes.post('/drain', async (c) => {
    const { socket, client, drain: wanted } = await bodyOf(DrainBody, c.req.raw)
    const draining = await drain.set(canonicalSocket(socket), client, wanted)
    return c.json({ client, draining } satisfies DrainView)
  })
  return routes
}
