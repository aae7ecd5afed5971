import { mkdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../src/core/errors.ts'
import { fetchClient } from '../test/real-client/support/client.ts'
import { ROOT } from './place.ts'
import { type Bench, percentile, type Row, runAlone } from './report.ts'
import {
  disagreedSeconds,
  type Judged,
  judgeListings,
  judgeQueue,
  type Latencies,
  lagsOf,
  latenciesOf,
  nameSessions,
  straySeconds,
  unshownSeconds,
} from './truth/judge.ts'
import { type Performance, perform } from './truth/performance.ts'
import { replaySignals } from './truth/replay.ts'
import { LANES } from './truth/scenes.ts'
import {
  type Confusion,
  confusionOf,
  liesOf,
  livedSeconds,
  wrongSeconds,
  wrongShare,
} from './truth/score.ts'
import { confusionTable, laneTable, worstLies } from './truth/tables.ts'

const BUDGET = { wrong: 0.005, wrongWithoutHooks: 0.01, hookToListedMs: 300, keyToGoneMs: 500 }

/**
 * Compares the queue with the truth over a scripted run of the real Claude Code through every hard state: once
 * with hooks and once without any. Also shows what hooks, the transcript, and the two together would have made
 * of the same run.
 */
export const truth: Bench = {
  name: 'truth',
  async run() {
    const fetched = await fetchClient()
    if ('unavailable' in fetched) {
      return [{ name: 'queue truth', figures: 'skipped', details: fetched.unavailable }]
    }
    const lanes = chosenLanes()
    // For trying out a lane: 0.2 is five times as fast, and says little about the wrong share.
    const pace = Number(process.env['TRUTH_PACE'] ?? 1)
    const withHooks = await measured({ hooks: true, lanes, pace })
    const without = await measured({ hooks: false, lanes, pace })
    const { performance } = withHooks
    const { hooks, lines } = performance
    const alone = (signals: Parameters<typeof replaySignals>[0]) =>
      confusionOf(judgeListings(performance, replaySignals(signals)))
    const columns: Record<string, Confusion> = {
      'Trail Boss': withHooks.confusion,
      'no hooks': without.confusion,
      'hooks+transcript': alone({ hooks, lines }),
      'hooks only': alone({ hooks }),
      'transcript only': alone({ lines }),
    }
    save(columns, withHooks, without)
    process.stdout.write(
      [
        `\nClaude Code ${fetched.client.version}, session-seconds by what was so:`,
        confusionTable(columns),
        '\nwrong by lane, with hooks:',
        laneTable(withHooks.judged),
        '\nwrong by lane, without:',
        laneTable(without.judged),
        '\nlongest wrong, with hooks:',
        worstLies(liesOf(withHooks.judged), performance),
        '\nlongest wrong, without:',
        worstLies(liesOf(without.judged), without.performance),
        '',
      ].join('\n'),
    )
    return rows(withHooks, without, columns)
  },
}

type Measured = {
  performance: Performance
  judged: Judged[]
  confusion: Confusion
  latencies: Latencies
  load: string
}

async function measured(options: Parameters<typeof perform>[0]): Promise<Measured> {
  const performance = await perform(options)
  nameSessions(performance)
  const judged = judgeQueue(performance)
  return {
    performance,
    judged,
    confusion: confusionOf(judged),
    latencies: latenciesOf(judged, performance),
    load: loadavg()
      .slice(0, 2)
      .map((load) => load.toFixed(1))
      .join(' and '),
  }
}

function rows(withHooks: Measured, without: Measured, columns: Record<string, Confusion>): Row[] {
  const share = (column: string) => percent(wrongShare(columns[column]!))
  return [
    {
      name: 'queue wrong, with hooks',
      figures: share('Trail Boss'),
      details: `hooks and transcript ${share('hooks+transcript')}, hooks only ${share('hooks only')}, transcript only ${share('transcript only')}; ${circumstances(withHooks)}`,
      budget: `≤ ${percent(BUDGET.wrong)}`,
      ok: wrongShare(withHooks.confusion) <= BUDGET.wrong,
    },
    {
      name: 'queue wrong, without any hook',
      figures: share('no hooks'),
      details: circumstances(without),
      budget: `≤ ${percent(BUDGET.wrongWithoutHooks)}`,
      ok: wrongShare(without.confusion) <= BUDGET.wrongWithoutHooks,
    },
    latencyRow('hook fired → listed', withHooks.latencies.hookToListed, BUDGET.hookToListedMs),
    latencyRow('key → gone, with hooks', withHooks.latencies.keyToGone, BUDGET.keyToGoneMs),
    latencyRow('key → gone, without', without.latencies.keyToGone, BUDGET.keyToGoneMs),
    latencyRow('waits → listed, with hooks', withHooks.latencies.stuckToListed),
    latencyRow('waits → listed, without', without.latencies.stuckToListed),
    ...failureRows([...withHooks.performance.failures, ...without.performance.failures]),
  ]
}

function failureRows(failures: unknown[]): Row[] {
  return failures.map((failure) => ({
    name: 'a lane of the script',
    figures: 'did not get on',
    details: messageOf(failure),
    ok: false,
  }))
}

function latencyRow(name: string, samples: number[], budgetMs?: number): Row {
  const at = (percent: number) => `${Math.round(percentile(samples, percent))} ms`
  return {
    name,
    figures: `p50 ${at(50)}, p95 ${at(95)}, at most ${at(100)} (n=${samples.length})`,
    ...(budgetMs !== undefined && {
      budget: `p95 ≤ ${budgetMs} ms`,
      ok: percentile(samples, 95) <= budgetMs,
    }),
  }
}

function circumstances({ performance, judged, confusion, latencies, load }: Measured): string {
  const changes = judged.reduce((sum, { truth }) => sum + truth.length - 1, 0)
  return [
    `${changes} changes, one in ${(livedSeconds(confusion) / changes).toFixed(0)} s`,
    `${((wrongSeconds(confusion) / changes) * 1_000).toFixed(0)} ms wrong for each`,
    `${unshownSeconds(judged).toFixed(1)} s of it before the program itself showed the key's effect`,
    shownLater(performance),
    `load ${load}`,
    `never listed or never gone: ${latencies.missed}`,
    `nobody's items or double ones: ${straySeconds(performance).toFixed(1)} s`,
    `screen and model disagreed: ${disagreedSeconds(performance).toFixed(1)} s`,
  ].join(', ')
}

/** What an unseen session is granted, as those on screens needed it. */
function shownLater(performance: Performance): string {
  const { dialog, prompt } = lagsOf(performance)
  const median = (lags: number[]) => `${Math.round(percentile(lags, 50))} ms (n=${lags.length})`
  return `from the model's last byte to the screen: dialog ${median(dialog)}, prompt ${median(prompt)}`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`
}

/** Saves the raw data behind the figures for later inspection. */
function save(columns: Record<string, Confusion>, ...runs: Measured[]): void {
  mkdirSync(join(ROOT, '.cache'), { recursive: true })
  const plain = (_: string, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...value] : value
  const file = join(ROOT, '.cache', 'truth.json')
  writeFileSync(file, JSON.stringify({ columns, runs }, plain))
}

/** `node bench/truth.ts <lane> …` plays some of them alone. */
function chosenLanes(): string[] {
  const named = import.meta.main ? process.argv.slice(2) : []
  return Object.keys(LANES).filter((lane) => named.length === 0 || named.includes(lane))
}

if (import.meta.main) await runAlone(truth)
