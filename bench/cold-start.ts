import { execFileSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { AgentEvent } from '../src/core/session/event.ts'
import { startOf } from '../src/process/process-state.ts'
import { Store } from '../src/store/store.ts'
import { createPlace, type Place, ROOT } from './place.ts'
import { cpuTime } from './processes.ts'
import { type Bench, ms, percentile, type Row, runAlone } from './report.ts'
import { type BenchSession, Line, openSessions } from './sessions.ts'
import { sweepCost } from './sweep-cost.ts'
import { filler, stoppedTurn, workingTurn } from './transcripts.ts'

const SESSIONS = 1_000
const FILE_BYTES = 10 * 1024 * 1024
/** Only the end of each file is written to disk. The rest is a hole that nothing should read. */
const WRITTEN_BYTES = 512 * 1024
/** The daemon reads this much of each file. */
const FIRST_READ_BYTES = 32 * 1024
const ROUNDS = 3
/** Later than every hook, and over before the first start. */
const HOOK_TO_TRANSCRIPT_MS = 2_000
const BUDGET_MS = 2_000

/**
 * Times the daemon from process start until it answers with a correct queue: once with a database, although
 * half of the sessions moved on while it was down, and once with only what the sessions themselves publish. The
 * baseline is a program that only reads and parses the ends of the same files.
 */
export const coldStart: Bench = {
  name: 'cold-start',
  async run() {
    await using place = await createPlace()
    const sessions = (await openSessions(place, SESSIONS)).map((session) => ({
      ...session,
      transcript: transcriptOf(place, session),
    }))
    const now = Date.now()
    writeTranscripts(sessions, now)
    writeDatabase(place, sessions, now)
    await delay(Math.max(0, now + HOOK_TO_TRANSCRIPT_MS - Date.now()))
    const template = join(place.dir, 'template.db')
    copyFileSync(databaseOf(place), template)

    const known = await startUps(place, sessions, () => copyFileSync(template, databaseOf(place)))
    writeStatusFiles(place, sessions, now)
    const unheard = await startUps(place, sessions, () => undefined)
    const daemon = await place.up()
    await trueQueue(place, sessions)
    const later = await sweepCost(place, daemon, sessions)
    return [
      {
        ...startRow(known),
        name: `cold start, ${SESSIONS} transcripts of 10 MB`,
        details: `${known.cpu.map(ms).join(', ')} of CPU; only reading and parsing as much takes ${known.bare.map(ms).join(', ')} (0.5 MB of each file is on disk, the rest a hole; page cache warm)`,
      },
      {
        ...startRow(unheard),
        name: 'cold start with no database and no hook ever',
        details: `${unheard.cpu.map(ms).join(', ')} of CPU; all ${SESSIONS} are found by their status files`,
      },
      ...later,
    ]
  },
}

/** Milliseconds until the queue was correct, and how much of that was the daemon's CPU time. */
type StartUps = { daemon: number[]; cpu: number[]; bare: number[] }

async function startUps(
  place: Place,
  sessions: BenchSession[],
  prepare: () => void,
): Promise<StartUps> {
  const samples: StartUps = { daemon: [], cpu: [], bare: [] }
  for (let round = 0; round < ROUNDS; round++) {
    samples.bare.push(readBare(place, sessions))
    for (const suffix of ['', '-wal', '-shm']) rmSync(databaseOf(place) + suffix, { force: true })
    prepare()
    const startedAt = performance.now()
    const daemon = await place.up(5)
    samples.daemon.push((await trueQueue(place, sessions)) - startedAt)
    samples.cpu.push(cpuTime(daemon.pid).own * 1_000)
    await daemon.stop()
  }
  return samples
}

function startRow({ daemon, bare }: StartUps): Omit<Row, 'name'> {
  return {
    figures: daemon.map(ms).join(', '),
    ratio: percentile(daemon, 50) / percentile(bare, 50),
    budget: `≤ ${BUDGET_MS} ms`,
    ok: Math.max(...daemon) <= BUDGET_MS,
  }
}

function databaseOf(place: Place): string {
  return join(place.state, 'trailboss.db')
}

/** Where Claude Code keeps the transcript of a session in that directory. */
function transcriptOf(place: Place, { cwd, id }: BenchSession): string {
  const project = cwd.replaceAll(/[^a-zA-Z0-9]/g, '-')
  return join(place.dir, 'home', '.claude', 'projects', project, `${id}.jsonl`)
}

/** What happened to a session: what the last hook said, and what the transcript has said since. */
type Fate = { hook: 'stuck' | 'unstuck'; transcript: 'stopped' | 'working' }

const FATES: Fate[] = [
  { hook: 'stuck', transcript: 'stopped' },
  { hook: 'stuck', transcript: 'working' },
  { hook: 'unstuck', transcript: 'stopped' },
  { hook: 'unstuck', transcript: 'working' },
]

const fateOf = (index: number): Fate => FATES[index % FATES.length] as Fate

function writeTranscripts(sessions: BenchSession[], now: number): void {
  const earlier = Buffer.from(filler(WRITTEN_BYTES, now - 7_200_000))
  for (const [index, session] of sessions.entries()) {
    const turn = fateOf(index).transcript === 'stopped' ? stoppedTurn : workingTurn
    const end = Buffer.from(turn(session, now + HOOK_TO_TRANSCRIPT_MS))
    mkdirSync(dirname(session.transcript), { recursive: true })
    const fd = openSync(session.transcript, 'w')
    writeSync(fd, earlier, 0, earlier.length, FILE_BYTES - earlier.length - end.length)
    writeSync(fd, end, 0, end.length, FILE_BYTES - end.length)
    closeSync(fd)
  }
}

function writeDatabase(place: Place, sessions: BenchSession[], now: number): void {
  using store = new Store(databaseOf(place))
  for (const [index, session] of sessions.entries()) {
    const { hook } = fateOf(index)
    const at = now + index
    const event: AgentEvent = {
      v: 1,
      kind: hook,
      harness: 'claude-code',
      session: session.id,
      source: 'hook',
      at,
      pane: { socket: place.tmux.socket, id: session.pane, server: place.tmux.pid },
      pid: session.pid,
      cwd: session.cwd,
      transcript: session.transcript,
      ...(hook === 'stuck' && { reason: 'stopped' as const, ask: { text: 'Shall I go on?' } }),
    }
    store.append({ type: 'event.received', event, recovered: false }, at)
  }
  store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

function writeStatusFiles(place: Place, sessions: BenchSession[], now: number): void {
  const directory = join(place.dir, 'home', '.claude', 'sessions')
  mkdirSync(directory)
  for (const [index, { id, pid, cwd }] of sessions.entries()) {
    const status = fateOf(index).transcript === 'stopped' ? 'idle' : 'busy'
    const content = {
      ...{ pid, sessionId: id, cwd, startedAt: now - 60_000, procStart: String(startOf(pid)) },
      ...{ version: '2.1.325', kind: 'interactive', entrypoint: 'cli', status },
      ...{ updatedAt: now, statusUpdatedAt: now + HOOK_TO_TRANSCRIPT_MS },
    }
    writeFileSync(join(directory, `${pid}.json`), JSON.stringify(content))
  }
}

/** Resolves to the time at which the queue held exactly the sessions that stopped. The first answer should be right. */
async function trueQueue(place: Place, sessions: BenchSession[]): Promise<number> {
  using line = new Line(place.socket, 1)
  const expected = sessions
    .filter((_, index) => fateOf(index).transcript === 'stopped')
    .map(({ id }) => id)
    .toSorted()
  let seen: string[] = []
  for (const deadline = performance.now() + 30_000; performance.now() < deadline; await delay(5)) {
    seen = (await line.queue()).items.map((item) => item.session).toSorted()
    if (seen.join() === expected.join()) return performance.now()
  }
  throw new Error(`the queue has ${seen.length} items, not the ${expected.length} expected ones`)
}

function readBare(place: Place, sessions: BenchSession[]): number {
  const list = join(place.dir, 'transcripts')
  writeFileSync(list, sessions.map(({ transcript }) => `${transcript}\n`).join(''))
  const startedAt = performance.now()
  const args = [join(ROOT, 'bench', 'bare-reader.ts'), list, String(FIRST_READ_BYTES)]
  execFileSync(process.execPath, args, { env: place.env })
  return performance.now() - startedAt
}

if (import.meta.main) await runAlone(coldStart)
