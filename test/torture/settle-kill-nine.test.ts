import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DaemonClient } from '../../src/client/daemon-client.ts'
import { TrailBossError } from '../../src/core/errors.ts'
import { startDaemon } from '../support/daemon/bare-daemon.ts'
import { randomFrom } from '../support/random.ts'

const KILLS = Number(process.env['TORTURE_KILLS'] ?? 8)
const SESSIONS = ['s0', 's1', 's2', 's3']
const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1e6)

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-torture-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** What the queue shows of a session. */
type Place = 'ready' | 'snoozed' | 'dismissed'
type Act = { act: Place; run(client: DaemonClient, session: string): Promise<unknown> }

const ACTS: Record<Place, Act[]> = {
  ready: [
    { act: 'dismissed', run: (client, session) => client.dismiss({ session }) },
    { act: 'snoozed', run: (client, session) => client.skip({ session, cooldownMs: 3_600_000 }) },
    { act: 'snoozed', run: (client, session) => client.skip({ session, until: inTwoHours() }) },
  ],
  snoozed: [{ act: 'ready', run: (client, session) => client.skip({ session, undo: true }) }],
  dismissed: [{ act: 'ready', run: (client, session) => client.dismiss({ session, undo: true }) }],
}
const inTwoHours = () => Date.now() + 7_200_000

test(`${KILLS} times kill -9 between a dismissal or a snooze and its acknowledgement: as acknowledged (seed ${seed})`, async () => {
  const random = randomFrom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const known = new Map<string, Place>()
  const outcomes = { acknowledged: 0, unacknowledged: 0 }
  for (let round = 0; round <= KILLS; round++) {
    const daemon = await startDaemon(dir)
    using client = new DaemonClient(join(dir, 'trailboss.sock'))
    if (round === 0) for (const session of SESSIONS) await stop(client, session)
    const seen = await places(client)
    if (round > 0) expect(seen).toEqual(known)
    for (const session of SESSIONS) known.set(session, seen.get(session)!)

    const session = pick(SESSIONS)
    const { act, run } = pick(ACTS[known.get(session)!])
    const asked = run(client, session).then(
      () => true,
      (error: unknown) => {
        if (error instanceof TrailBossError && error.code === 'DAEMON_DOWN') return false
        throw error
      },
    )
    await delay(random() * 6)
    const exited = once(daemon, 'exit')
    daemon.kill('SIGKILL')
    await exited
    if (await asked) {
      outcomes.acknowledged += 1
      known.set(session, act)
    } else {
      outcomes.unacknowledged += 1
      // Either is right, as long as it is one of them and stays so.
      known.set(session, await settled(session, [known.get(session)!, act]))
    }
  }
  if (KILLS >= 50) expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(0)
})

/** The place of a session that nobody knows, from a daemon that is then killed, too. */
async function settled(session: string, allowed: Place[]): Promise<Place> {
  const daemon = await startDaemon(dir)
  using client = new DaemonClient(join(dir, 'trailboss.sock'))
  const place = (await places(client)).get(session)!
  expect(allowed).toContain(place)
  const exited = once(daemon, 'exit')
  daemon.kill('SIGKILL')
  await exited
  return place
}

async function places(client: DaemonClient): Promise<Map<string, Place>> {
  const { items } = await client.queue({ dismissed: true })
  const placeOf = ({ ready, dismissedAt }: (typeof items)[number]): Place =>
    dismissedAt !== undefined ? 'dismissed' : ready ? 'ready' : 'snoozed'
  const sorted = items.toSorted((a, b) => (a.session < b.session ? -1 : 1))
  return new Map(sorted.map((item) => [item.session, placeOf(item)]))
}

async function stop(client: DaemonClient, session: string): Promise<void> {
  await client.postEvent({
    ...{ v: 1, kind: 'stuck', harness: 'torture', session, at: Date.now(), source: 'api' },
    ...{ reason: 'stopped', ask: { text: 'Done.' } },
  })
}
