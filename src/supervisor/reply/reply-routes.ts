import { Hono } from 'hono'
import type { ReplyView } from '../../contract/supervisor.ts'
import { ReplyBody } from '../../contract/supervisor-requests.ts'
import { bodyOf } from '../../service/request-body.ts'
import type { Replies } from './replies.ts'
import { repliesOff } from './reply-errors.ts'

/** `POST /reply`. Without `replies` it refuses everything: nothing that could type exists. */
export function replyRoutes(replies: Pick<Replies, 'send'> | undefined): Hono {
  const routes = new Hono()
  routes.post('/reply', async (c) => {
    if (!replies) throw repliesOff()
    const body = await bodyOf(ReplyBody, c.req.raw)
    return c.json((await replies.send(body)) satisfies ReplyView)
  })
  return routes
}
