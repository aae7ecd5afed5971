import { setTimeout as delay } from 'node:timers/promises'
import type { MonitorView } from '../src/contract/responses.ts'
import { http } from '../test/support/http.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { createCountingPlace, percent, percentOf } from './cost.ts'
import { type Bench, type Row, runAlone } from './report.ts'

const PANES = 50
/** Before this, V8 still compiles, and the pauses between looks at a quiet pane still grow. */
const SETTLE_MS = 60_000
const MEASURE_MS = 60_000
/** Three matching looks take this long at most. */
const MOST_MS_UNTIL_LISTED = 360_000
/**
 * Without a control client, for which this tmux may be too old: one look at the panes every ten seconds, plus
 * the passes.
 */
const MOST_PROCESSES = { quiet: 14, listed: 14, printing: 90 }
const QUIET = `seq 40; exec cat`
// `read -t` waits without starting a process.
const PRINTING = `i=0; while :; do i=$((i+1)); echo "line $i of what this program has to say"; read -t 0.5 x; done`

/** What the monitor costs with this many programs whose screens are the only source. */
export const watched: Bench = {
  name: 'watched',
  run: async () => [
    ...(await measure('quiet', QUIET, 0.5)),
    ...(await measure('printing', PRINTING, 3)),
  ],
}

async function measure(
  manner: 'quiet' | 'printing',
  command: string,
  budget: number,
): Promise<Row[]> {
  const { place, calls } = await createCountingPlace()
  await using _place = place
  const run = `new-window -d -t work: 'exec bash -c "${command.replaceAll(/["$]/g, '\\$&')}"'`
  await Promise.all(Array.from({ length: PANES }, () => place.control.command(run)))
  await place.control.command('set-option -t work @trailboss_watch on')
  await delay(2_000)
  const alone = await percentOf(place.tmux.pid, 10_000)
  const { pid } = await place.up()
  await waitFor(async () => (await view(place.socket)).panes.length, {
    what: 'every program to be watched',
    until: (count) => count >= PANES,
  })
  const watcher = { pid, server: place.tmux.pid, alone: alone.own, calls }
  await delay(SETTLE_MS)
  const rows = await rowsFor(manner, watcher, budget)
  if (manner === 'printing') return rows
  const seldom = async () => {
    await delay(5_000)
    return (await view(place.socket)).panes
  }
  await waitFor(seldom, {
    what: 'every program to be listed as stalled',
    until: (panes) => panes.every(({ state }) => state === 'stuck'),
    timeoutMs: MOST_MS_UNTIL_LISTED,
  })
  await delay(SETTLE_MS)
  return [...rows, ...(await rowsFor('listed', watcher, budget))]
}

type Watcher = { pid: number; server: number; alone: number; calls(): number }

async function rowsFor(
  manner: keyof typeof MOST_PROCESSES,
  { pid, server: serverPid, alone, calls }: Watcher,
  budget: number,
): Promise<Row[]> {
  const before = calls()
  const [daemon, server] = await Promise.all([
    percentOf(pid, MEASURE_MS),
    percentOf(serverPid, MEASURE_MS),
  ])
  const spawned = calls() - before
  const total = daemon.own + daemon.children
  const name = `${PANES} watched panes, ${manner === 'listed' ? 'quiet until listed' : manner}`
  return [
    {
      name,
      figures: `${percent(total)} of a core`,
      details: `over ${MEASURE_MS / 1_000} s: itself ${percent(daemon.own)}, its children ${percent(daemon.children)}; the tmux server ${percent(server.own)}, without us ${percent(alone)}`,
      budget: `≤ ${budget} %`,
      ok: total <= budget,
    },
    {
      name: `${name}, processes started`,
      figures: `${spawned} in ${MEASURE_MS / 1_000} s`,
      budget: `one for all that are due (≤ ${MOST_PROCESSES[manner]})`,
      ok: spawned <= MOST_PROCESSES[manner],
    },
  ]
}

async function view(socket: string): Promise<MonitorView> {
  return JSON.parse((await http({ socket }, '/monitor')).text) as MonitorView
}

if (import.meta.main) await runAlone(watched)
