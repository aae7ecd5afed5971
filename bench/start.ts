import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent } from '../src/core/session/event.ts'
import { Store } from '../src/store/store.ts'
import { createPlace, type Place } from './place.ts'
import { cpuTime } from './processes.ts'
import { type Bench, ms, percentile, type Row, runAlone } from './report.ts'

const ITEMS = 10_000
const ITEMS_KILLED = 300
const SPOOLED = 200
const ROUNDS = 3
const BUDGET_MS = 1_000
/** No process has such a pid: it stands for sessions whose program exited while the daemon was down. */
const GONE_PID = 4_000_000

/**
 * From the start of the daemon's process until its socket answers: with a long queue half of which is gone, and
 * after a kill -9 while hooks went on. The baseline is the same start with nothing stored.
 */
export const start: Bench = {
  name: 'start',
  async run() {
    await using place = await createPlace()
    const long = join(place.dir, 'long.db')
    writeQueue(long, ITEMS)[Symbol.dispose]()
    const empty: StartUps = { wall: [], cpu: [] }
    const full: StartUps = { wall: [], cpu: [] }
    const killed: StartUps = { wall: [], cpu: [] }
    for (let round = 0; round < ROUNDS; round++) {
      clear(place)
      await startUp(place, empty)
      clear(place)
      copyFileSync(long, databaseOf(place))
      await startUp(place, full)
      clear(place)
      leaveKilled(place)
      await startUp(place, killed)
    }
    return [
      row(`start, ${ITEMS} in the queue, half of them gone`, full, empty),
      row(
        `start after kill -9, ${ITEMS_KILLED} in the queue, ${SPOOLED} in the spool`,
        killed,
        empty,
      ),
    ]
  },
}

type StartUps = { wall: number[]; cpu: number[] }

async function startUp(place: Place, samples: StartUps): Promise<void> {
  const startedAt = performance.now()
  const daemon = await place.up(5)
  samples.wall.push(performance.now() - startedAt)
  samples.cpu.push(cpuTime(daemon.pid).own * 1_000)
  await daemon.stop()
}

function row(name: string, { wall, cpu }: StartUps, empty: StartUps): Row {
  return {
    name,
    figures: wall.map(ms).join(', '),
    details: `${cpu.map(ms).join(', ')} of CPU; with nothing stored ${empty.wall.map(ms).join(', ')}, ${empty.cpu.map(ms).join(', ')} of CPU`,
    ratio: percentile(wall, 50) / percentile(empty.wall, 50),
    budget: `≤ ${BUDGET_MS} ms`,
    ok: Math.max(...wall) <= BUDGET_MS,
  }
}

function databaseOf(place: Place): string {
  return join(place.state, 'trailboss.db')
}

function clear(place: Place): void {
  for (const suffix of ['', '-wal', '-shm', '.json']) {
    rmSync(databaseOf(place) + suffix, { force: true })
  }
}

function writeQueue(path: string, items: number): Store {
  const store = new Store(path)
  const now = Date.now() - 600_000
  store.atOnce(() => {
    for (let index = 0; index < items; index++) {
      const event: AgentEvent = {
        v: 1,
        kind: 'stuck',
        harness: 'claude-code',
        session: `session-${index}`,
        source: 'hook',
        at: now + index,
        cwd: '/tmp',
        reason: 'stopped',
        ask: { text: `Shall I go on with number ${index}? `.repeat(8) },
        ...(index % 2 === 0 && { pid: GONE_PID + index, pidStart: 1 }),
      }
      store.append({ type: 'event.received', event, recovered: false }, now + index)
    }
  })
  store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  return store
}

/** Everything is in the journal, nothing was closed, and later hooks are in the spool. */
function leaveKilled(place: Place): void {
  const open = join(place.dir, 'open.db')
  for (const suffix of ['', '-wal', '-shm', '.json']) rmSync(open + suffix, { force: true })
  const store = writeQueue(open, ITEMS_KILLED)
  const now = Date.now()
  store.append({ type: 'item.restored', session: 'claude-code:session-1' as never }, now)
  for (const suffix of ['', '-wal', '.json']) {
    copyFileSync(open + suffix, databaseOf(place) + suffix)
  }
  store[Symbol.dispose]()
  const spool = join(place.state, 'spool')
  mkdirSync(spool, { recursive: true, mode: 0o700 })
  for (let index = 0; index < SPOOLED; index++) {
    const payload = { hook_event_name: 'Stop', session_id: `session-${index}`, cwd: '/tmp' }
    const envelope = { v: 1, harness: 'claude-code', at: now + index, payload }
    writeFileSync(join(spool, `${now + index}-${index}.json`), JSON.stringify(envelope))
  }
}

if (import.meta.main) await runAlone(start)
