import { Hono } from 'hono'
import { MuteBody, type MutesView, TestBody } from '../../contract/notice.ts'
import { bodyOf } from '../../service/request-body.ts'
import type { Mutes } from './mutes.ts'
import type { Notices } from './notices.ts'

export function noticeRoutes(notices: Notices, mutes: Mutes): Hono {
  const routes = new Hono()
  routes.get('/v1/notices', async (c) => c.json(await notices.view()))
  routes.post('/v1/notices/test', async (c) => {
    const { channel } = await bodyOf(TestBody, c.req.raw)
    return c.json(await notices.test(channel))
  })
  routes.get('/v1/mutes', (c) => c.json({ mutes: mutes.inForce() } satisfies MutesView))
  routes.post('/v1/mutes', async (c) => {
    const changed = mutes.change(await bodyOf(MuteBody, c.req.raw))
    notices.lookSoon()
    return c.json(changed)
  })
  return routes
}
