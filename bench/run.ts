import { coldStart } from './cold-start.ts'
import { emitter } from './emitter.ts'
import { harnesses } from './harnesses.ts'
import { hookToVisible } from './hook-to-visible.ts'
import { idle } from './idle.ts'
import { ingest } from './ingest.ts'
import { memoryBench } from './memory.ts'
import { nextKey } from './next-key.ts'
import { popup } from './popup.ts'
import { runBenches } from './report.ts'
import { screens } from './screens.ts'
import { start } from './start.ts'
import { truth } from './truth.ts'
import { watched } from './watched.ts'

/** The budgets, each with its baseline in the same run. Runs all of them, or only those named. */
const benches = [
  emitter,
  hookToVisible,
  nextKey,
  popup,
  idle,
  watched,
  ingest,
  memoryBench,
  coldStart,
  start,
  truth,
  screens,
  harnesses,
]

const names = process.argv.slice(2)
const unknown = names.filter((name) => !benches.some((bench) => bench.name === name))
if (unknown.length > 0) {
  const known = benches.map(({ name }) => name).join(', ')
  process.stderr.write(`bench: there is no ${unknown.join(', ')}; there are: ${known}\n`)
  process.exitCode = 2
} else {
  await runBenches(benches.filter(({ name }) => names.length === 0 || names.includes(name)))
}
