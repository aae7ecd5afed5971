import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../src/core/errors.ts'
import { ROOT } from './place.ts'
import { cpuTicks, stolenPercent } from './processes.ts'

/** One figure of a bench. Without a budget it is informational. */
export type Row = {
  name: string
  figures: string
  /** What the figures consist of, and their baseline. */
  details?: string
  /** Relative to the baseline of the same run. */
  ratio?: number
  budget?: string
  ok?: boolean
}

export type Bench = { name: string; run(): Promise<Row[]> }

/** Builds the product, runs the benches one after the other, and prints one table. */
export async function runBenches(benches: Bench[]): Promise<void> {
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'inherit' })
  const rows: Row[] = []
  for (const bench of benches) {
    const busy = await busyPercent()
    const startedAt = performance.now()
    const ticks = cpuTicks()
    rows.push(...(await rowsOf(bench)))
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
    process.stderr.write(
      `${bench.name}: ${seconds} s; just before, other programs kept the CPUs ${busy} % busy; during it, the host kept ${stolenPercent(ticks)} % of them for others\n`,
    )
  }
  process.stdout.write(`\n${table(rows)}\n`)
  if (rows.some(({ ok }) => ok === false)) process.exitCode = 1
}

export const runAlone = (bench: Bench): Promise<void> => runBenches([bench])

export function percentile(samples: number[], percent: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  const rank = Math.ceil((percent / 100) * sorted.length) - 1
  return sorted[Math.max(0, rank)] ?? Number.NaN
}

export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`
}

/** `p50 … , p95 …` */
export function spread(samples: number[]): string {
  return `p50 ${ms(percentile(samples, 50))}, p95 ${ms(percentile(samples, 95))}`
}

/** A bench that fails counts as a missed budget and does not stop the others. */
async function rowsOf(bench: Bench): Promise<Row[]> {
  try {
    return await bench.run()
  } catch (error) {
    return [{ name: bench.name, figures: 'failed', details: messageOf(error), ok: false }]
  }
}

/** Other load on the machine disturbs a bench. */
async function busyPercent(): Promise<number> {
  const times = () =>
    cpus().map(({ times }) => ({
      idle: times.idle,
      all: Object.values(times).reduce((sum, time) => sum + time, 0),
    }))
  const sum = (cores: { idle: number; all: number }[], field: 'idle' | 'all') =>
    cores.reduce((total, core) => total + core[field], 0)
  const before = times()
  await delay(1_000)
  const after = times()
  const idle = sum(after, 'idle') - sum(before, 'idle')
  return Math.round((1 - idle / (sum(after, 'all') - sum(before, 'all'))) * 100)
}

function table(rows: Row[]): string {
  const lines = [
    ['bench', 'figures', 'ratio', 'budget', ''],
    ...rows.map(({ name, figures, ratio, budget, ok }) => [
      name,
      figures,
      ratio === undefined ? '' : `${ratio.toFixed(2)} ×`,
      budget ?? '',
      ok === undefined ? '' : ok ? 'ok' : 'MISSED',
    ]),
  ]
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  return lines
    .map((line, index) => {
      const cells = line.map((cell, column) => cell.padEnd(widths[column] ?? 0))
      const details = rows[index - 1]?.details
      return cells.join('  ').trimEnd() + (details ? `\n    ${details}` : '')
    })
    .join('\n')
}
