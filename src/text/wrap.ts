import { type Cell, cellsOf, isNarrow, widthOf } from './columns.ts'

/** One of our colours: it takes no room. */
const COLOUR = /(\u001b\[[\d;]*m)/

/** Lines of at most `columns`; breaks at spaces if possible, and keeps the text's own line breaks. */
export function wrap(text: string, columns: number): string[] {
  if (columns <= 0) return []
  return text.split('\n').flatMap((line) => wrapLine(line, columns, columns))
}

/**
 * The same for prose. A word that is wider than a line, such as a path, stays whole, so that it can be copied.
 * An indented line, or an item of a list, continues below its first word.
 */
export function wrapProse(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => {
    if (widthOf(line.replaceAll(new RegExp(COLOUR, 'g'), '')) <= columns) return [line]
    const [, indent = '', mark = '', rest = ''] = /^( *)(- )?(.*)$/.exec(line) ?? []
    const hang = indent.length + mark.length
    const lines = wrapLine(rest, Math.max(1, columns - hang), Number.POSITIVE_INFINITY)
    return lines.map((each, at) => (at === 0 ? indent + mark : ' '.repeat(hang)) + each)
  })
}

function wrapLine(line: string, columns: number, widestWord: number): string[] {
  if (isNarrow(line) && line.length <= columns) return [line.trimEnd()]
  const lines: string[] = []
  let current: Cell = { text: '', width: 0 }
  for (const word of wordsOf(line, widestWord)) {
    const isBroken = current.text !== '' && current.width + word.gap + word.width > columns
    if (isBroken) lines.push(current.text)
    if (isBroken) current = { text: '', width: 0 }
    const gap = isBroken || word.gap + word.width > columns ? 0 : word.gap
    current = {
      text: current.text + ' '.repeat(gap) + word.text,
      width: current.width + gap + word.width,
    }
  }
  return [...lines, current.text]
}

/** A piece that must stay on one line, with the number of spaces before it. */
type Word = Cell & { gap: number }

function wordsOf(line: string, widest: number): Word[] {
  const words: Word[] = []
  let gap = 0
  let open: Word | undefined
  for (const cell of colouredCells(line)) {
    if (cell.text === ' ') {
      gap++
      open = undefined
    } else if (open && cell.width <= 1 && open.width + cell.width <= widest) {
      open.text += cell.text
      open.width += cell.width
    } else {
      const fitting = cell.width <= widest ? cell : { text: '…', width: 1 }
      const word = { ...fitting, gap }
      words.push(word)
      gap = 0
      // East Asian text may break between any two of its characters.
      open = cell.width <= 1 ? word : undefined
    }
  }
  return words
}

function colouredCells(line: string): Cell[] {
  if (!line.includes('\u001b')) return cellsOf(line)
  return line
    .split(COLOUR)
    .flatMap((part) => (COLOUR.test(part) ? [{ text: part, width: 0 }] : cellsOf(part)))
}
