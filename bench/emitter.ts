import { spawn } from 'node:child_process'
import { EMITTER, EmitterHome } from '../test/emitter/emitter-home.ts'
import { startHookCollector } from '../test/emitter/hook-collector.ts'
import { processesWith } from '../test/support/processes.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { type Bench, ms, percentile, type Row, runAlone } from './report.ts'

const ROUNDS = 150
const WARM_UP = 10
const HUNG_ROUNDS = 100
const OPEN_ROUNDS = 20
const BURSTS = 10
const AT_ONCE = 20
const BUDGET_RATIO = 1.5
const BUDGET_MS = 300
const BUDGET_P99_MS = 150

const PAYLOAD = JSON.stringify({
  session_id: '12e3aa00-0000-4000-8000-000000000001',
  transcript_path: '/home/op/.claude/projects/-home-op-proj/12e3aa00.jsonl',
  cwd: '/home/op/proj',
  hook_event_name: 'Stop',
  last_assistant_message: 'All tests pass. '.repeat(100),
})

/** How long a hook keeps its agent waiting, compared with the cheapest way to send it: a bare curl. */
export const emitter: Bench = {
  name: 'emitter',
  run: async () => [
    await againstCurl(),
    await whileHung(),
    await burstsWhileHung(),
    await withOpenStdin(),
  ],
}

async function againstCurl(): Promise<Row> {
  using home = new EmitterHome()
  await using _ = await startHookCollector(home.socket)
  const runs = {
    curl: () => wall('curl', bareCurl(home.socket), home),
    emitter: () => wall(EMITTER, ['claude-code'], home),
  }
  const samples = { curl: [] as number[], emitter: [] as number[] }
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    // They take turns going first, so that neither always runs right after the other.
    const order = round % 2 === 0 ? (['curl', 'emitter'] as const) : (['emitter', 'curl'] as const)
    for (const name of order) {
      const took = await runs[name]()
      if (round >= WARM_UP) samples[name].push(took)
    }
  }
  const at = (percent: number) => ({
    curl: percentile(samples.curl, percent),
    emitter: percentile(samples.emitter, percent),
  })
  const [p50, p95] = [at(50), at(95)]
  const ratio = p50.emitter / p50.curl
  return {
    name: 'emitter, wall time to bare curl',
    figures: `p50 ${ms(p50.emitter)} to ${ms(p50.curl)}, p95 ${ms(p95.emitter)} to ${ms(p95.curl)}`,
    ratio,
    budget: `≤ ${BUDGET_RATIO} ×`,
    ok: ratio <= BUDGET_RATIO,
  }
}

/** One after the other, like the hooks of a single agent. */
async function whileHung(): Promise<Row> {
  using home = new EmitterHome()
  await using _ = await startHookCollector(home.socket, 'never')
  const samples: number[] = []
  for (let round = 0; round < HUNG_ROUNDS; round += 1) {
    samples.push(await wall(EMITTER, ['claude-code'], home))
  }
  await ended(home)
  return waits('emitter, daemon hangs', samples, BUDGET_P99_MS)
}

/** No emitter has noticed yet that the daemon hangs when a burst begins. */
async function burstsWhileHung(): Promise<Row> {
  const samples: number[] = []
  for (let burst = 0; burst < BURSTS; burst += 1) {
    using home = new EmitterHome()
    await warmUp(home)
    await using _ = await startHookCollector(home.socket, 'never')
    const runs = Array.from({ length: AT_ONCE }, () => wall(EMITTER, ['claude-code'], home))
    samples.push(...(await Promise.all(runs)))
    await ended(home)
  }
  return waits(`emitter, daemon hangs, ${AT_ONCE} at once`, samples)
}

/** The first runs create the spool and check the home; later ones can skip both. */
async function warmUp(home: EmitterHome): Promise<void> {
  await using _ = await startHookCollector(home.socket)
  for (let round = 0; round < WARM_UP; round += 1) await wall(EMITTER, ['claude-code'], home)
  await ended(home)
}

async function withOpenStdin(): Promise<Row> {
  using home = new EmitterHome()
  await using _ = await startHookCollector(home.socket)
  const samples: number[] = []
  for (let round = 0; round < OPEN_ROUNDS; round += 1) {
    samples.push(await wall(EMITTER, ['claude-code'], home, false))
  }
  await ended(home)
  return waits('emitter, stdin never closed', samples)
}

/** An emitter that still works in the background would create its home again. */
async function ended(home: EmitterHome): Promise<void> {
  await waitFor(() => processesWith('TRAILBOSS_HOME', home.home).length === 0, {
    what: 'every emitter to have ended',
  })
}

function waits(name: string, samples: number[], p99Budget = BUDGET_MS): Row {
  const [p50, p99, max] = [percentile(samples, 50), percentile(samples, 99), Math.max(...samples)]
  const p99Note = p99Budget < BUDGET_MS ? `p99 ≤ ${p99Budget} ms, ` : ''
  return {
    name,
    figures: `p50 ${ms(p50)}, p99 ${ms(p99)}, max ${ms(max)}`,
    budget: `${p99Note}max ≤ ${BUDGET_MS} ms`,
    ok: max <= BUDGET_MS && p99 <= p99Budget,
  }
}

function bareCurl(socket: string): string[] {
  const type = 'Content-Type: application/json'
  const post = ['-H', type, '--data-binary', '@-', 'http://localhost/event']
  return ['-q', '-s', '-o', '/dev/null', '--unix-socket', socket, ...post]
}

/** From before the process exists until it has exited. */
function wall(
  file: string,
  args: string[],
  home: EmitterHome,
  closesStdin = true,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const env = home.env({
      LANG: process.env['LANG'],
      TMUX: '/tmp/tmux-1/default,1,0',
      TMUX_PANE: '%1',
    })
    const startedAt = performance.now()
    const child = spawn(file, args, { env, stdio: ['pipe', 'ignore', 'ignore'] })
    child.on('error', reject)
    child.on('exit', (code) => {
      if (code === 0) resolve(performance.now() - startedAt)
      else reject(new Error(`${file} ended with exit code ${code}`))
    })
    child.stdin.on('error', () => {})
    child.stdin.write(PAYLOAD)
    if (closesStdin) child.stdin.end()
  })
}

if (import.meta.main) await runAlone(emitter)
