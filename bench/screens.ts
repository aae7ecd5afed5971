import { type Bench, type Row, runAlone } from './report.ts'
import { readAllEvidence, readScreenAlone } from './screens/reading.ts'
import { type RecordedScreen, recordedScreens } from './screens/recorded.ts'
import {
  confusionTable,
  type Judgement,
  type Score,
  scoreOf,
  shareText,
  wrongOnes,
} from './screens/score.ts'

const ALONE = { precision: 0.98, recall: 0.95 }
const ALL_EVIDENCE = { precision: 0.995, recall: 0.995 }

/**
 * What we read from recorded screens, per harness: from the screen alone, and with everything that the daemon
 * had received by then. The held-back half is what counts; the other half is for comparison. For a wrong one we
 * print only the name, so that whoever writes rules has not seen it.
 */
export const screens: Bench = {
  name: 'screens',
  run: async () => {
    const recorded = recordedScreens()
    if (recorded.length === 0) {
      const details =
        'test/fixtures/screens has none: npm run test:real -- <harness> --record screens'
      return [{ name: 'screens', figures: 'no recorded screens', details }]
    }
    const harnesses = Object.entries(Object.groupBy(recorded, ({ harness }) => harness))
    return harnesses.flatMap(([harness, ofIt = []]) => rowsFor(harness, ofIt))
  },
}

function rowsFor(harness: string, recorded: RecordedScreen[]): Row[] {
  const versions = [...new Set(recorded.map(({ version }) => version))].join(', ')
  const halves = { 'held back (even numbers)': true, 'the other half': false }
  const tables = Object.entries(halves).map(([half, isHeldBack]) => {
    const ofHalf = recorded.filter((one) => one.isHeldBack === isHeldBack)
    return { half, isHeldBack, alone: judgedAlone(ofHalf), all: judgedByAll(ofHalf) }
  })
  for (const { half, alone, all } of tables) {
    print(`${harness} ${versions}, ${half}, from the screen alone`, alone)
    print(`${harness} ${versions}, ${half}, from all evidence`, all)
  }
  return tables.flatMap(({ half, isHeldBack, alone, all }) => {
    const name = (from: string) => `${harness}, waiting, ${from}${isHeldBack ? '' : `; ${half}`}`
    return [
      row(name('screen'), alone, isHeldBack ? ALONE : undefined),
      row(name('all evidence'), all, isHeldBack ? ALL_EVIDENCE : undefined),
    ]
  })
}

/** A single look cannot distinguish a frozen program from a working one. */
function judgedAlone(recorded: RecordedScreen[]): Judgement[] {
  return recorded
    .filter(({ screen }) => screen.later !== undefined || screen.state !== 'stalled')
    .map((one) => judged(one, readScreenAlone(one)))
}

function judgedByAll(recorded: RecordedScreen[]): Judgement[] {
  return recorded.flatMap((one) => {
    const reading = readAllEvidence(one)
    return reading === undefined ? [] : [judged(one, reading)]
  })
}

function judged({ file, screen }: RecordedScreen, reading: Judgement['reading']): Judgement {
  return { file, truth: screen.state, reading }
}

function row(name: string, judgements: Judgement[], budget: typeof ALONE | undefined): Row {
  if (judgements.length === 0) {
    return { name, figures: 'not recorded', ...(budget && { budget: budgetText(budget) }) }
  }
  const score = scoreOf(judgements, 'waiting')
  const { precision, recall, count } = score
  const figures = `precision ${shareText(precision)}, recall ${shareText(recall)} of ${count}`
  return { name, figures, ...(budget && { budget: budgetText(budget), ok: keeps(score, budget) }) }
}

function budgetText({ precision, recall }: typeof ALONE): string {
  return `≥ ${precision}, ≥ ${recall}`
}

function keeps({ precision = 0, recall = 0 }: Score, budget: typeof ALONE): boolean {
  return precision >= budget.precision && recall >= budget.recall
}

function print(title: string, judgements: Judgement[]): void {
  if (judgements.length === 0) return
  const wrong = wrongOnes(judgements)
  const lines = wrong.map(({ file, reading }) => `  wrong: ${file} is taken for ${reading}`)
  const table = [title, confusionTable(judgements), ...lines].join('\n')
  process.stdout.write(`${table}\n\n`)
}

if (import.meta.main) await runAlone(screens)
