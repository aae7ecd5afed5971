import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { endDaemon, startDaemon } from '../support/daemon/bare-daemon.ts'
import { type HttpRequest, http } from '../support/http.ts'
import { randomFrom } from '../support/random.ts'
import { fillStore } from '../support/store/filled-store.ts'
import { damageRow, tablesOf } from '../support/store/row-damage.ts'

const ROUNDS = Number(process.env['TORTURE_ROUNDS'] ?? 6)
const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1e6)

const ROUTES = [
  ...['/queue', '/sessions', '/explain', '/status', '/stats', '/metrics', '/monitor', '/next'],
  ...['/runtimes', '/triggers', '/dispatches', '/threads', '/tokens', '/audit'],
  ...['/messages?thread=th_0', '/messages?thread=th_1', '/messages?thread=th_2'],
  ...['/dispatches?name=d1', '/triggers?agent=w/r1', '/runtimes?agent=w/r1'],
]

let dir: string
let database: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-rows-'))
  database = join(dir, 'trailboss.db')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const ask = (path: string, request?: HttpRequest) =>
  http({ socket: join(dir, 'trailboss.sock') }, path, request)

test(`with a damaged row in every table the daemon starts and answers everything (${ROUNDS} times, seed ${seed})`, {
  timeout: 30_000 + ROUNDS * 10_000,
}, async () => {
  const random = randomFrom(seed)
  for (let round = 0; round < ROUNDS; round++) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true })
    const now = Date.now() - 60_000
    fillStore(database, now, dir)
    const damages = tablesOf(database).map((table) => damageRow(database, table, random))
    const about = `round ${round}: ${JSON.stringify(damages)}`
    const daemon = await startDaemon(dir)
    try {
      for (const route of ROUTES) {
        const { status, text } = await ask(route)
        expect(status, `${route} answered ${text} after ${about}`).toBeLessThan(500)
      }
      const told = { v: 1, kind: 'stuck', reason: 'stopped', harness: 'torture', source: 'api' }
      const body = { ...told, session: 'new', at: Date.now() }
      const stored = await ask('/v1/events', { method: 'POST', body })
      expect(stored.status, `${stored.text} after ${about}`).toBe(202)
      const { warnings } = JSON.parse((await ask('/status')).text) as { warnings: string[] }
      expect(warnings.join(), about).toMatch(/The database had \d+ damaged rows/)
      const { items } = JSON.parse((await ask('/queue')).text) as { items: { session: string }[] }
      const listed = items.map(({ session }) => session)
      const [damaged] = damages.filter(({ table }) => table === 'sessions')
      for (const session of ['s0', 's2', 's4', 's6', 'new']) {
        if (damaged?.rowId === Number(session.slice(1)) + 1) continue
        expect(listed, about).toContain(session)
      }
    } finally {
      await endDaemon(daemon, 'SIGTERM')
    }
  }
})

test('one damaged session is named, and all others are there', async () => {
  writeFileSync(join(dir, 'config.json'), '{}')
  fillStore(database, Date.now() - 60_000, dir)
  {
    using db = new DatabaseSync(database)
    db.exec("UPDATE sessions SET record = '{}' WHERE key = 'torture:s4'; DELETE FROM base")
  }
  const daemon = await startDaemon(dir)
  expect(JSON.parse((await ask('/status')).text)).toMatchObject({
    warnings: [expect.stringContaining('1 damaged row (sessions torture:s4)')],
    warningKinds: ['damaged-rows'],
  })
  const { items } = JSON.parse((await ask('/queue')).text) as { items: { session: string }[] }
  expect(items.map(({ session }) => session)).toEqual(['s0', 's2', 's6'])
  await endDaemon(daemon, 'SIGTERM')
})
