import type { CorpusState } from '../../test/real-client/record/screen-corpus.ts'
import type { Reading } from './reading.ts'

/** One recorded screen: its true state, and how it was read. */
export type Judgement = { file: string; truth: CorpusState; reading: Reading }

/** Undefined if there is nothing to divide by. */
export type Score = { precision: number | undefined; recall: number | undefined; count: number }

const STATES: readonly CorpusState[] = ['waiting', 'working', 'stalled', 'finished']
const READINGS: readonly Reading[] = [...STATES, 'unknown']

export function scoreOf(judgements: readonly Judgement[], state: CorpusState): Score {
  const said = judgements.filter(({ reading }) => reading === state)
  const actual = judgements.filter(({ truth }) => truth === state)
  const right = said.filter(({ truth }) => truth === state).length
  return {
    precision: said.length > 0 ? right / said.length : undefined,
    recall: actual.length > 0 ? right / actual.length : undefined,
    count: actual.length,
  }
}

export function wrongOnes(judgements: readonly Judgement[]): Judgement[] {
  return judgements.filter(({ truth, reading }) => truth !== reading)
}

/** Rows are the true states, columns are the readings. */
export function confusionTable(judgements: readonly Judgement[]): string {
  const count = (truth: CorpusState, reading: Reading) =>
    judgements.filter((one) => one.truth === truth && one.reading === reading).length
  const lines = [
    ['', ...READINGS, 'precision', 'recall'],
    ...STATES.map((truth) => {
      const { precision, recall } = scoreOf(judgements, truth)
      const counts = READINGS.map((reading) => String(count(truth, reading) || '·'))
      return [truth, ...counts, shareText(precision), shareText(recall)]
    }),
  ]
  return lines
    .map(([label = '', ...cells]) => [label.padEnd(9), ...cells.map((cell) => cell.padStart(9))])
    .map((cells) => `  ${cells.join(' ')}`)
    .join('\n')
}

export function shareText(share: number | undefined): string {
  return share === undefined ? '–' : share.toFixed(3)
}
