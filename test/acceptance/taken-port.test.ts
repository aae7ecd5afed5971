import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from 'vitest'
import type { StatusView } from '../../src/contract/responses.ts'
import { command } from '../support/command.ts'
import { TRAILBOSS } from '../support/create-world.ts'
import { freePort } from '../support/free-port.ts'
import { http } from '../support/http.ts'
import { test as base } from '../support/world.ts'

const test = base.override({ worldOptions: { up: false } })

type Check = { name: string; status: string; detail: string; mend: string | null }

test('a port that another program has is a warning: everything else works', async ({ world }) => {
  await using other = await listenSomewhere()
  const env = { ...world.env, TRAILBOSS_PORT: String(other.port) }
  const up = await command(TRAILBOSS, ['up'], { env, cwd: world.home })
  expect(up.stderr).toMatch(new RegExp(`^warning: Port ${other.port} on 127.0.0.1 is taken`, 'm'))
  expect(up).toMatchObject({ code: 0 })

  const status = await command(TRAILBOSS, ['status'], { env, cwd: world.home })
  expect(status).toMatchObject({ code: 0 })
  expect(status.stderr).toContain(`Port ${other.port} on 127.0.0.1 is taken`)
  expect(world.daemonLog()).toContain('port taken')
  const agent = await world.agent('one')
  await agent.stop('Done.')
  await world.listed(agent)

  const taken = await portCheck()
  expect(taken).toMatchObject({ status: 'warning' })
  expect(taken?.detail).toMatch(
    new RegExp(`^node.* \\(pid ${process.pid}\\) has port ${other.port}`),
  )
  expect(taken?.mend).toContain('TRAILBOSS_PORT')

  await other[Symbol.asyncDispose]()
  const freed = await portCheck()
  expect(freed).toMatchObject({ status: 'warning' })
  expect(freed?.detail).toContain('is free now')

  await world.trailboss('down')
  await command(TRAILBOSS, ['up'], { env, cwd: world.home })
  expect(await portCheck()).toMatchObject({ status: 'ok' })
  expect((await http({ port: other.port }, '/healthz')).status).toBe(401)
  expect(await world.json<StatusView>('status')).toMatchObject({
    warnings: [],
    tcp: { port: other.port, listening: true },
  })

  async function portCheck(): Promise<Check | undefined> {
    const { stdout } = await command(TRAILBOSS, ['doctor', '--json'], { env, cwd: world.home })
    const { checks } = JSON.parse(stdout) as { checks: Check[] }
    // It is said once.
    expect(checks.filter(({ detail }) => /^Port \d/.test(detail))).toEqual([])
    return checks.find(({ name }) => name === 'port')
  }
})

async function listenSomewhere(): Promise<AsyncDisposable & { port: number }> {
  const server = createServer()
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  let closed: Promise<unknown> | undefined
  const close = async () => {
    closed ??= once(server.close(), 'close')
    await closed
  }
  return { port, [Symbol.asyncDispose]: close }
}
