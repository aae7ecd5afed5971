import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createCountingPlace, percent, percentOf } from './cost.ts'
import type { Place } from './place.ts'
import { type Bench, runAlone } from './report.ts'
import { type BenchSession, hookBody, Line, openSessions } from './sessions.ts'
import { stoppedTurn, workingTurn } from './transcripts.ts'

const SESSIONS = 50
/** Before this, V8 still compiles the code that runs once a second. */
const SETTLE_MS = 20_000
const MEASURE_MS = 30_000
const BASELINE_MS = 5_000
const BUDGET_PERCENT = 0.5

/**
 * What the daemon costs when nothing happens: its own CPU time and that of the processes it starts, which a
 * `tmux` in its PATH counts. The figure includes that counting.
 */
export const idle: Bench = {
  name: 'idle',
  async run() {
    const { place, calls } = await createCountingPlace()
    await using _place = place
    return await measure(place, calls)
  },
}

async function measure(place: Place, calls: () => number) {
  const sessions = await openSessions(place, SESSIONS)
  const script = 'setInterval(() => {}, 1000)'
  const timer = spawn(process.execPath, ['-e', script], { env: place.env, stdio: 'ignore' })
  if (timer.pid === undefined) throw new Error('node could not be started')
  try {
    await delay(1_000)
    const serverAlone = await percentOf(place.tmux.pid, BASELINE_MS)
    const { pid } = await place.up()
    await tellOf(place, sessions)
    await delay(SETTLE_MS)
    const callsBefore = calls()
    const [daemon, server, bare] = await Promise.all([
      percentOf(pid, MEASURE_MS),
      percentOf(place.tmux.pid, MEASURE_MS),
      percentOf(timer.pid, MEASURE_MS),
    ])
    const spawned = calls() - callsBefore
    const perMinute = (spawned / MEASURE_MS) * 60_000
    const seconds = MEASURE_MS / 1_000
    const total = daemon.own + daemon.children
    return [
      {
        name: `idle daemon, ${SESSIONS} panes`,
        figures: `${percent(total)} of a core`,
        details: `over ${seconds} s: itself ${percent(daemon.own)}, its children ${percent(daemon.children)}; a bare Node timer ${percent(bare.own)}; the tmux server ${percent(server.own)}, without us ${percent(serverAlone.own)}`,
        ratio: total / bare.own,
        budget: `≤ ${BUDGET_PERCENT} %`,
        ok: total <= BUDGET_PERCENT,
      },
      {
        name: 'idle daemon, processes started',
        figures: `${spawned} in ${seconds} s`,
        budget: `none per pane (< ${SESSIONS} a minute)`,
        ok: perMinute < SESSIONS,
      },
    ]
  } finally {
    timer.kill()
  }
}

/** Every third one is stuck; each has a matching transcript. */
async function tellOf(place: Place, sessions: BenchSession[]): Promise<void> {
  using line = new Line(place.socket, 4)
  for (const [index, session] of sessions.entries()) {
    const isStuck = index % 3 === 0
    mkdirSync(dirname(session.transcript), { recursive: true })
    const turn = isStuck ? stoppedTurn : workingTurn
    writeFileSync(session.transcript, turn(session, Date.now()))
    await line.post('/event', hookBody(place, session, isStuck ? 'Stop' : 'UserPromptSubmit', 0))
  }
  const { items } = await line.queue()
  const stuck = Math.ceil(sessions.length / 3)
  if (items.length !== stuck) throw new Error(`${items.length} in the queue instead of ${stuck}`)
}

if (import.meta.main) await runAlone(idle)
