import { type StructuredPatch, type StructuredPatchHunk, structuredPatch } from 'diff'
import { displayText } from '../../core/text.ts'

/**
 * How a file changes, for reading: each change with three lines around it. `undefined` means that the file does
 * not exist. Empty if nothing changes.
 */
export function lineDiff(
  path: string,
  before: Buffer | undefined,
  after: Buffer | undefined,
): string {
  const [old, now] = [shown(before), shown(after)]
  if (old === now && Boolean(before) === Boolean(after)) return ''
  const options = { context: 3, maxEditLength: MOST_CHANGES }
  const patch = structuredPatch('', '', old, now, '', '', options) as StructuredPatch | undefined
  const hunks = patch?.hunks ?? [replacement(old, now)]
  return [
    `--- ${before ? path : '/dev/null'}`,
    `+++ ${after ? path : '/dev/null'}`,
    ...hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
      ...shortened(lines),
    ]),
    '',
  ].join('\n')
}

/** Finding common lines would take seconds in files with less in common. */
const MOST_CHANGES = 1_000

/** Every line is removed and every line is new. */
function replacement(old: string, now: string): StructuredPatchHunk {
  const marked = (text: string, mark: string) => {
    const lines = text.split('\n').map((line) => mark + line)
    return lines.at(-1) === mark ? lines.slice(0, -1) : [...lines, '\\ No newline at end of file']
  }
  const [gone, come] = [marked(old, '-'), marked(now, '+')]
  const count = (lines: string[]) => lines.filter(isLine).length
  return {
    oldStart: 1,
    oldLines: count(gone),
    newStart: 1,
    newLines: count(come),
    lines: [...gone, ...come],
  }
}

function isLine(line: string): boolean {
  return !line.startsWith('\\')
}

function shown(bytes: Buffer | undefined): string {
  const lines = (bytes?.toString() ?? '').split('\n')
  return lines.map((line) => displayText(line).replaceAll('\n', '')).join('\n')
}

function range(start: number, length: number): string {
  return `${length === 0 ? 0 : start},${length}`
}

/** Shows only the changed part of a long line, as in a file with a single line. */
function shortened(lines: string[]): string[] {
  return lines.map((line, index) => {
    if (line.length <= LONG) return line
    const mark = line[0] ?? ' '
    const near =
      mark === '-' ? lines.slice(index + 1, index + 3) : lines.slice(0, index).slice(-2).reverse()
    const partner = near.find(isLine)
    if (partner === undefined || [mark, partner[0]].toSorted().join('') !== '+-') return line
    const [text, other] = [[...line.slice(1)], [...partner.slice(1)]]
    const different = text.findIndex((character, at) => character !== other[at])
    const from = (different === -1 ? text.length : different) - SHOWN
    return from <= 0 ? line : `${mark}… ${text.slice(from).join('')}`
  })
}

const LONG = 300
const SHOWN = 40
