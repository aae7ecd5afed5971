import type { Performance } from './performance.ts'
import {
  type Confusion,
  confusionOf,
  type Lie,
  length,
  livedSeconds,
  type Track,
  wrongSeconds,
  wrongShare,
} from './score.ts'

const SHOWN = 10

/** Side by side, with the wrong cells marked. */
export function confusionTable(columns: Record<string, Confusion>): string {
  const cells = (label: string, figure: (table: Confusion) => string) => [
    label,
    ...Object.values(columns).map(figure),
  ]
  const seconds = (value: number) => value.toFixed(1)
  const lines = [
    ['', ...Object.keys(columns)],
    cells('stuck, listed', ({ stuck }) => seconds(stuck.listed)),
    cells('stuck, not listed    ✗', ({ stuck }) => seconds(stuck.unlisted)),
    cells('working, not listed', ({ working }) => seconds(working.unlisted)),
    cells('working, listed      ✗', ({ working }) => seconds(working.listed)),
    cells('fresh, not listed', ({ fresh }) => seconds(fresh.unlisted)),
    cells('fresh, listed        ✗', ({ fresh }) => seconds(fresh.listed)),
    cells('gone, listed         ✗', ({ gone }) => seconds(gone.listed)),
    cells('lived', (table) => seconds(livedSeconds(table))),
    cells('wrong', (table) => seconds(wrongSeconds(table))),
    cells('wrong, of what lived', (table) => `${(wrongShare(table) * 100).toFixed(2)} %`),
  ]
  const widths = lines[0]!.map((_, column) =>
    Math.max(...lines.map((line) => line[column]!.length)),
  )
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!),
        )
        .join('  '),
    )
    .join('\n')
}

/** The wrong share of each lane. */
export function laneTable(tracks: Track[]): string {
  const names = [...new Set(tracks.map(({ name }) => name))]
  return names
    .map((name) => {
      const table = confusionOf(tracks.filter((track) => track.name === name))
      const seconds = (value: number) => value.toFixed(1)
      const share = (wrongShare(table) * 100).toFixed(2)
      return `${share.padStart(6)} %  ${name}: ${seconds(wrongSeconds(table))} of ${seconds(livedSeconds(table))} s`
    })
    .join('\n')
}

/** The longest ones, each with its scene. */
export function worstLies(lies: Lie[], { diary }: Performance): string {
  return lies
    .slice(0, SHOWN)
    .map((lie) => {
      const scene = diary.scenes.findLast(
        ({ at, scene }) => at <= lie.from && scene.startsWith(`${lie.name}:`),
      )
      const said = lie.truth === 'stuck' ? 'not listed' : 'listed'
      const seconds = (length(lie) / 1_000).toFixed(2).padStart(7)
      return `${seconds} s  ${lie.truth}, ${said}: ${scene?.scene ?? lie.name}`
    })
    .join('\n')
}
