import { setTimeout as delay } from 'node:timers/promises'
import { randomFrom } from '../test/support/random.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { bindKeys } from './keys.ts'
import { createPlace, type Place, type Terminal } from './place.ts'
import { type Bench, percentile, runAlone, spread } from './report.ts'
import { type BenchSession, hookBody, Line, openSessions } from './sessions.ts'

const SESSIONS = 20
const ROUNDS = 150
const SEED = 11
const BUDGET = 1.5

/**
 * From a key pressed in the operator's terminal until the client shows the target's window, as tmux announces
 * it. The baseline, in alternating rounds, is a key bound to nothing but `switch-client`.
 */
export const nextKey: Bench = {
  name: 'next-key',
  async run() {
    await using place = await createPlace()
    const [start, target, ...others] = await openSessions(place, SESSIONS)
    if (!start || !target) throw new Error('no sessions')
    await place.up()
    await bindKeys(place)
    await place.tmux.run('bind-key', '-T', 'prefix', 'T', 'switch-client', '-t', target.pane)
    const terminal = await place.seat()
    using line = new Line(place.socket, 1)
    for (const session of [target, ...others]) {
      await line.post('/event', hookBody(place, session, 'Stop', 0))
    }
    await waitFor(() => place.control.command('show-option -gqv @trailboss_head'), {
      what: 'tmux to know the head',
      until: ([head]) => head === target.pane,
    })

    const clients = await place.tmux.run('list-clients', '-F', '#{client_name} #{client_pid}')
    const pid = clients.split('\n').find((row) => row.startsWith(`${terminal.client} `))
    const there = ['display-message', '-p', '-t', target.pane] as const
    const back = await place.tmux.run(...there, '#{session_id}:#{window_id}.#{pane_id}')
    const wayBack = `set-option -g @trailboss_back_${pid?.split(' ')[1]} '${back}'`

    const pause = randomFrom(SEED)
    const samples = { next: [] as number[], back: [] as number[], native: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
      const keys = round % 2 === 0 ? KEYS : KEYS.toReversed()
      for (const { kind, key } of keys) {
        const tookMs = await press(place, terminal, { key, wayBack, start, target })
        // The first rounds warm everything up.
        if (round >= 5) samples[kind].push(tookMs)
        await delay(5 + pause() * 20)
      }
    }
    return (['next', 'back'] as const).map((kind) => {
      const ratio = percentile(samples[kind], 50) / percentile(samples.native, 50)
      return {
        name: `${kind === 'next' ? 'Next' : 'Back'} key → client on the pane`,
        figures: spread(samples[kind]),
        details: `native binding: ${spread(samples.native)} (n=${samples[kind].length}, seed ${SEED})`,
        ratio,
        budget: `≤ ${BUDGET} × native`,
        ok: ratio <= BUDGET,
      }
    })
  },
}

const KEYS = [
  { kind: 'next', key: 'Tab' },
  { kind: 'back', key: 'B' },
  { kind: 'native', key: 'T' },
] as const

/** `wayBack`: has Back go to the target. */
type Press = { key: string; wayBack: string; start: BenchSession; target: BenchSession }

async function press(
  { control }: Place,
  { outer, client }: Terminal,
  { key, wayBack, start, target }: Press,
): Promise<number> {
  await control.command(`switch-client -c ${client} -t ${start.pane}`)
  await shows(control, client, start.pane)
  await control.command(wayBack)
  const arrived = control.notified((line) => line.startsWith('%session-window-changed'))
  const pressedAt = performance.now()
  void outer.command(`send-keys -t terminal: C-b ${key}`)
  const arrivedAt = await arrived
  await shows(control, client, target.pane)
  return arrivedAt - pressedAt
}

/** tmux announces only the window; whether it is the right pane is checked but not timed. */
async function shows(control: Place['control'], client: string, pane: string): Promise<void> {
  const clients = await control.command("list-clients -F '#{client_name} #{pane_id}'")
  if (clients.includes(`${client} ${pane}`)) return
  throw new Error(`the client is not on ${pane}: ${clients.join(', ')}`)
}

if (import.meta.main) await runAlone(nextKey)
