import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { randomFrom } from '../test/support/random.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { createPlace, EMITTER, type Place } from './place.ts'
import { type Bench, percentile, runAlone, spread } from './report.ts'
import {
  type BenchSession,
  hookBody,
  hookEnvironment,
  hookPayload,
  Line,
  openSessions,
} from './sessions.ts'

const SESSIONS = 20
const ROUNDS = 60
const SEED = 7
const BUDGET_MS = 50

/**
 * From the moment a hook fires (the emitter starts) until a long poll returns its item in the queue, and until
 * tmux has the new count. The baseline is the least that could be done by hand: curl to a server that does
 * nothing, then `tmux set-option`.
 */
export const hookToVisible: Bench = {
  name: 'hook-to-visible',
  async run() {
    await using place = await createPlace()
    const sessions = await openSessions(place, SESSIONS)
    await place.up()
    using line = new Line(place.socket, 4)
    // Half of the sessions stay stuck, so the queue is never empty when something happens.
    for (const session of sessions) {
      await line.post('/event', hookBody(place, session, 'UserPromptSubmit', 0))
    }
    const busy = sessions.slice(0, SESSIONS / 2)
    for (const session of busy) await line.post('/event', hookBody(place, session, 'Stop', 0))
    const others = sessions.slice(SESSIONS / 2)
    await waitFor(() => readOption(place, '@trailboss_count'), {
      what: 'tmux to have the count',
      until: (count) => count === String(busy.length),
    })

    using byHand = await startByHand(place)
    const pause = randomFrom(SEED)
    const seen: Seen[] = []
    const baseline: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const session = others[round % others.length] as BenchSession
      for (const hook of ['Stop', 'UserPromptSubmit'] as const) {
        seen.push(await fire(place, line, session, hook, round))
        // Random pauses, so that nothing falls in step with a timer of the daemon.
        await delay(20 + pause() * 40)
      }
      baseline.push(await byHand.fire(session, round))
    }
    const visible = seen.map(({ queueMs, countMs }) => Math.max(queueMs, countMs))
    const queue = seen.map(({ queueMs }) => queueMs)
    const p95 = percentile(visible, 95)
    return [
      {
        name: 'hook → queue and @trailboss_count',
        figures: spread(visible),
        details: `curl and tmux by hand: ${spread(baseline)} (n=${visible.length}, seed ${SEED})`,
        ratio: percentile(visible, 50) / percentile(baseline, 50),
        budget: `p95 ≤ ${BUDGET_MS} ms`,
        ok: p95 <= BUDGET_MS,
      },
      {
        name: 'hook → /queue long poll answered',
        figures: spread(queue),
      },
    ]
  },
}

type Seen = { queueMs: number; countMs: number }

async function fire(
  place: Place,
  line: Line,
  session: BenchSession,
  hook: 'Stop' | 'UserPromptSubmit',
  round: number,
): Promise<Seen> {
  const { version } = await line.queue()
  const count = await readOption(place, '@trailboss_count')
  const inQueue = queueTells(line, version, session.id, hook === 'Stop')
  // The poll must arrive before the hook does.
  await delay(3)
  const env = hookEnvironment(place, session)
  const firedAt = performance.now()
  const emitter = spawn(EMITTER, ['claude-code'], { env, stdio: ['pipe', 'ignore', 'ignore'] })
  emitter.stdin.end(hookPayload(session, hook, round))
  const ended = once(emitter, 'exit')
  const [queueAt, countAt] = await Promise.all([
    inQueue,
    optionChanges(place, '@trailboss_count', count),
  ])
  await ended
  return { queueMs: queueAt - firedAt, countMs: countAt - firedAt }
}

async function queueTells(
  line: Line,
  after: number,
  session: string,
  present: boolean,
): Promise<number> {
  const view = await line.queue(`?after=${after}&wait=10`)
  const at = performance.now()
  if (view.items.some((item) => item.session === session) === present) return at
  return queueTells(line, view.version, session, present)
}

/** Looks about once a millisecond: a tighter loop would load the machine under test. */
async function optionChanges(place: Place, name: string, from: string): Promise<number> {
  const deadline = performance.now() + 5_000
  while (performance.now() < deadline) {
    if ((await readOption(place, name)) !== from) return performance.now()
    await delay(1)
  }
  throw new Error(`${name} stayed ${JSON.stringify(from)} for 5 s`)
}

async function readOption({ control }: Place, name: string): Promise<string> {
  return (await control.command(`show-option -gqv ${name}`)).join('\n')
}

type ByHand = Disposable & { fire(session: BenchSession, round: number): Promise<number> }

async function startByHand(place: Place): Promise<ByHand> {
  const socket = join(place.dir, 'by-hand.sock')
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end())
  })
  server.listen(socket)
  await once(server, 'listening')
  const script = `curl -q -s -o /dev/null --unix-socket '${socket}' -H 'Content-Type: application/json' --data-binary @- http://localhost/ && exec tmux -S '${place.tmux.socket}' set-option -g @by_hand "$1"`
  return {
    fire: async (session, round) => {
      const before = await readOption(place, '@by_hand')
      const firedAt = performance.now()
      const child = spawn('sh', ['-c', script, 'sh', `round ${round}`], {
        env: hookEnvironment(place, session),
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      child.stdin.end(hookPayload(session, 'Stop', round))
      const ended = once(child, 'exit')
      const changedAt = await optionChanges(place, '@by_hand', before)
      await ended
      return changedAt - firedAt
    },
    [Symbol.dispose]: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

if (import.meta.main) await runAlone(hookToVisible)
