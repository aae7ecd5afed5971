import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { randomFrom } from '../test/support/random.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { createPlace, type Place, ROOT } from './place.ts'
import { cpuTime, memory } from './processes.ts'
import { type Bench, ms, percentile, runAlone } from './report.ts'
import { type BenchSession, type HookName, hookBody, Line, openSessions } from './sessions.ts'
import { workingTurn } from './transcripts.ts'

const SESSIONS = 1_000
const RATE = 100
const SLICES = 3
const SLICE_MS = 10_000
const BARE_SLICE_MS = 4_000
const BURST_RATE = 1_000
const BURST_MS = 5_000
const CONNECTIONS = 16
const SEED = 23
const BUDGET_P99_MS = 25
const BUDGET_MB = 150

/** The hooks of one turn, in order. */
const TURN: HookName[] = [
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'Stop',
]

/**
 * POSTs at a fixed rate, whether or not earlier ones were answered, from sessions in panes of their own. The
 * baseline, in alternating slices, is a server that only puts each body into SQLite.
 */
export const ingest: Bench = {
  name: 'ingest',
  async run() {
    await using place = await createPlace()
    const sessions = await openSessions(place, SESSIONS)
    const { pid } = await place.up()
    using bare = await startBareServer(place)
    await tellOf(place, sessions)
    const nextBody = eventsOf(place, sessions)
    const samples = { daemon: [] as number[], bare: [] as number[] }
    const cpu = { own: 0, children: 0 }
    for (let slice = 0; slice < SLICES; slice++) {
      samples.bare.push(...(await postAt(bare.socket, RATE, BARE_SLICE_MS, nextBody)))
      const before = cpuTime(pid)
      samples.daemon.push(...(await postAt(place.socket, RATE, SLICE_MS, nextBody)))
      const after = cpuTime(pid)
      cpu.own += after.own - before.own
      cpu.children += after.children - before.children
    }
    const { rss, peak } = memory(pid)
    const stuck = await queueLength(place)
    const burst = await postAt(place.socket, BURST_RATE, BURST_MS, nextBody)
    const p99 = percentile(samples.daemon, 99)
    return [
      {
        name: `ingest, ${SESSIONS} sessions, ${RATE}/s`,
        figures: tail(samples.daemon),
        details: `bare server with SQLite: ${tail(samples.bare)} (n=${samples.daemon.length}, ${stuck} stuck, seed ${SEED})`,
        ratio: percentile(samples.daemon, 50) / percentile(samples.bare, 50),
        budget: `p99 ≤ ${BUDGET_P99_MS} ms`,
        ok: p99 <= BUDGET_P99_MS,
      },
      {
        name: 'ingest, CPU time for each event',
        figures: ms((cpu.own / samples.daemon.length) * 1_000),
        details: `and ${ms((cpu.children / samples.daemon.length) * 1_000)} in programs that it started; unlike the times above, others on the machine hardly change it`,
      },
      {
        name: 'ingest, memory of the daemon',
        figures: `RSS ${rss.toFixed(0)} MB, peak ${peak.toFixed(0)} MB`,
        details: `after the burst: peak ${memory(pid).peak.toFixed(0)} MB`,
        budget: `≤ ${BUDGET_MB} MB`,
        ok: Math.max(rss, peak) <= BUDGET_MB,
      },
      {
        name: `ingest, burst of ${BURST_RATE}/s for ${BURST_MS / 1_000} s`,
        figures: tail(burst),
      },
    ]
  },
}

function tail(samples: number[]): string {
  return `p50 ${ms(percentile(samples, 50))}, p99 ${ms(percentile(samples, 99))}`
}

/** Each call returns the next hook of a randomly picked session; every session goes through its turns. */
function eventsOf(place: Place, sessions: BenchSession[]): () => string {
  const chance = randomFrom(SEED)
  const positions = sessions.map(() => Math.floor(chance() * TURN.length))
  return () => {
    const index = Math.floor(chance() * sessions.length)
    const position = positions[index] ?? 0
    positions[index] = position + 1
    const hook = TURN[position % TURN.length] as HookName
    const turn = Math.floor(position / TURN.length)
    return hookBody(place, sessions[index] as BenchSession, hook, turn)
  }
}

/** How long each POST took, from the call to the complete answer. */
async function postAt(
  socket: string,
  rate: number,
  forMs: number,
  nextBody: () => string,
): Promise<number[]> {
  using line = new Line(socket, CONNECTIONS)
  const count = Math.round((rate * forMs) / 1_000)
  const startedAt = performance.now()
  const posts: Promise<number>[] = []
  while (posts.length < count) {
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * rate) + 1
    while (posts.length < Math.min(due, count)) {
      const post = timedPost(line, nextBody())
      // The promise is awaited below; until then a failure must not count as unhandled.
      post.catch(() => {})
      posts.push(post)
    }
    await delay(1)
  }
  return await Promise.all(posts)
}

async function timedPost(line: Line, body: string): Promise<number> {
  const startedAt = performance.now()
  const { status, text } = await line.post('/event', body)
  if (status !== 202) throw new Error(`the answer to an event was ${status}: ${text}`)
  return performance.now() - startedAt
}

/** Each session has a transcript on disk, as a real one would. */
async function tellOf(place: Place, sessions: BenchSession[]): Promise<void> {
  for (const session of sessions) {
    mkdirSync(dirname(session.transcript), { recursive: true })
    writeFileSync(session.transcript, workingTurn(session, Date.now()))
  }
  using line = new Line(place.socket, CONNECTIONS)
  await Promise.all(
    sessions.map((session) => line.post('/event', hookBody(place, session, 'SessionStart', 0))),
  )
}

async function queueLength({ socket }: Place): Promise<number> {
  using line = new Line(socket, 1)
  return (await line.queue()).items.length
}

async function startBareServer(place: Place): Promise<Disposable & { socket: string }> {
  const socket = join(place.dir, 'bare.sock')
  const args = [join(ROOT, 'bench', 'bare-server.ts'), socket, join(place.dir, 'bare.db')]
  const child = spawn(process.execPath, args, { env: place.env, stdio: 'inherit' })
  await waitFor(() => existsSync(socket), { what: 'the bare server to listen' })
  return { socket, [Symbol.dispose]: () => void child.kill() }
}

if (import.meta.main) await runAlone(ingest)
