import { cellsOf, widthOf } from '../../text/columns.ts'

/**
 * Terminals disagree on how wide some clusters are (emoji with selectors, joined emoji, flags, marks). After
 * each of those we set the cursor to its planned column, so that whatever the terminal thinks, only that one
 * cell is off and never the rest of the line.
 */
const UNDISPUTED =
  /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u0391-\u03ff\u0410-\u044f\u2010-\u2027\u2500-\u259f\u25b8\u21b5\u2191\u2193\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$/
const SGR = /(\u001b\[[0-9;]*m)/

/** What turns one frame into the next: writes only lines that changed. */
export function frameDiff(previous: string[], next: string[]): string {
  return next
    .map((line, row) => (line === previous[row] ? '' : `\u001b[${row + 1};1H${anchored(line)}`))
    .join('')
}

function anchored(line: string): string {
  let column = 1
  return line
    .split(SGR)
    .map((part, index) => {
      const isSgr = index % 2 === 1
      if (isSgr) return part
      const [text, width] = anchoredText(part, column)
      column += width
      return text
    })
    .join('')
}

function anchoredText(text: string, start: number): [string, number] {
  if (UNDISPUTED.test(text)) return [text, widthOf(text)]
  let column = start
  let written = ''
  for (const cell of cellsOf(text)) {
    const end = column + cell.width
    written += UNDISPUTED.test(cell.text)
      ? cell.text
      : // The blanks remain visible if the terminal draws it narrower.
        `${' '.repeat(cell.width)}\u001b[${column}G${cell.text}\u001b[${end}G`
    column = end
  }
  return [written, column - start]
}
