import { setTimeout as delay } from 'node:timers/promises'
import type { MonitorView } from '../src/contract/responses.ts'
import { http } from '../test/support/http.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { createCountingPlace, percent, percentOf } from './cost.ts'
import { type Bench, type Row, runAlone } from './report.ts'

const PANES = 50
/** Until then V8 still compiles, and the pauses between the looks at a quiet pane grow. */
const SETTLE_MS = 60_000
const MEASURE_MS = 60_000
/** Without a control client, for which this tmux may be too old: a look at the panes every five seconds, and the passes. */
const MOST_PROCESSES = { quiet: 24, printing: 90 }
const QUIET = `seq 40; exec cat`
// `read -t` waits without starting a process.
const PRINTING = `i=0; while :; do i=$((i+1)); echo "line $i of what this program has to say"; read -t 0.5 x; done`

/** What the monitor costs with so many programs that only their screens speak for. */
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
  await delay(SETTLE_MS)
  const before = calls()
  const [daemon, server] = await Promise.all([
    percentOf(pid, MEASURE_MS),
    percentOf(place.tmux.pid, MEASURE_MS),
  ])
  const spawned = calls() - before
  const total = daemon.own + daemon.children
  return [
    {
      name: `${PANES} watched panes, ${manner}`,
      figures: `${percent(total)} of a core`,
      details: `over ${MEASURE_MS / 1_000} s: itself ${percent(daemon.own)}, its children ${percent(daemon.children)}; the tmux server ${percent(server.own)}, without us ${percent(alone.own)}`,
      budget: `≤ ${budget} %`,
      ok: total <= budget,
    },
    {
      name: `${PANES} watched panes, ${manner}, processes started`,
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
