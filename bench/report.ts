import { execFileSync } from 'node:child_process'
import { loadavg } from 'node:os'
import { ROOT } from './place.ts'

/** One figure of a bench. Without a budget it is for information. */
export type Row = {
  name: string
  figures: string
  /** To the baseline of the same run. */
  ratio?: number
  budget?: string
  ok?: boolean
}

export type Bench = { name: string; run(): Promise<Row[]> }

/** Builds the product once, runs the benches one after the other, prints one table. */
export async function runBenches(benches: Bench[]): Promise<void> {
  if (!process.env['NOBUILD'])
    execFileSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'inherit' })
  const rows: Row[] = []
  for (const bench of benches) {
    const startedAt = performance.now()
    const load = loadavg()[0] ?? 0
    process.stderr.write(`${bench.name} … `)
    rows.push(...(await bench.run()))
    const seconds = (performance.now() - startedAt) / 1_000
    process.stderr.write(`${seconds.toFixed(0)} s (load ${load.toFixed(1)} before)\n`)
  }
  process.stdout.write(`${table(rows)}\n`)
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

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function table(rows: Row[]): string {
  const cells = rows.map(({ name, figures, ratio, budget, ok }) => [
    name,
    figures,
    ratio === undefined ? '' : `${ratio.toFixed(2)} ×`,
    budget ?? '',
    ok === undefined ? '' : ok ? 'ok' : 'MISSED',
  ])
  const lines = [['bench', 'figures', 'ratio', 'budget', ''], ...cells]
  const widths = lines[0]?.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
