import { truncate } from '../text.ts'
import { cellsOf, firstCells } from './screen.ts'
import type { Test } from './screen-region.ts'
import type { AskCut, Pattern } from './screen-rule.ts'

/** The ask as a person would read it: the cut lines without frames, indentation and gaps. */
export function askOf(cut: AskCut, shown: readonly string[], test: Test): string {
  const lines = withoutSidebar(cut, shown, test)
  const start = startOf(cut, lines, test)
  const body = lines.slice(start)
  const until = cut.until
  const end = until ? body.findIndex((line, at) => at > 0 && test(until, line)) : -1
  const kept = body
    .slice(0, end === -1 ? undefined : end)
    .filter((line) => !cut.drop?.some((pattern) => test(pattern, line)))
    .slice(cut.last === undefined ? 0 : -cut.last)
    .map(withoutFrame)
    .filter((line, at, all) => line !== '' || (all[at - 1] ?? '') !== '')
  const text = dedented(kept).join('\n').trim()
  return truncate(cut.isLastFirst ? lastLineFirst(text) : text, MAX_ASK_CHARS)
}

function withoutSidebar({ within }: AskCut, lines: readonly string[], test: Test) {
  const edge = within && lines[lastOf(within, lines, test)]
  if (edge === undefined) return lines
  const cells = cellsOf(edge)
  return lines.map((line) => firstCells(line, cells).trimEnd())
}

function lastLineFirst(text: string): string {
  const above = text.lastIndexOf('\n')
  if (above === -1) return text
  return `${text.slice(above + 1)}\n\n${text.slice(0, above).trimEnd()}`
}

const MAX_ASK_CHARS = 16_000

function startOf({ below, from, mark }: AskCut, lines: readonly string[], test: Test): number {
  const above = mark ? lines.slice(0, lastOf(mark, lines, test)) : lines
  for (const pattern of from ?? []) {
    const at = lastOf(pattern, above, test)
    if (at !== -1) return at
  }
  for (const pattern of below ?? []) {
    const at = lastOf(pattern, above, test)
    if (at !== -1) return at + 1
  }
  return 0
}

function lastOf(pattern: Pattern, lines: readonly string[], test: Test): number {
  return lines.findLastIndex((line) => test(pattern, line))
}

const FRAME = /^[\s─━═╌┄╍┈│┃║╭╮╰╯┌┐└┘┏┓┗┛╔╗╚╝├┤┬┴┼▔▁▀▄]+$/
const TITLED_FRAME = /^(\s*[╭┌┏╔][─━═]+ )(.+?) [─━═]+[╮┐┓╗]$/
const LEFT_SIDE = /^(\s*)[│┃║▌▏▎](?= |$)/
/** Also matches the thumb of a scroll bar. */
const RIGHT_SIDE = /(?:[│┃║▐▕]| █)$/

/** A side becomes a space, so that text inside and outside a frame keeps its columns. */
function withoutFrame(line: string): string {
  if (FRAME.test(line)) return ''
  const [, corner = '', title] = TITLED_FRAME.exec(line) ?? []
  if (title) return ' '.repeat(corner.length) + title
  const bare = line.replace(LEFT_SIDE, '$1 ').replace(RIGHT_SIDE, '').trimEnd()
  // A frame inside a frame has both sides.
  const isFramed = bare !== line && LEFT_SIDE.test(bare) && RIGHT_SIDE.test(bare)
  return isFramed ? withoutFrame(bare) : bare
}

function dedented(lines: readonly string[]): string[] {
  const indents = lines.filter(Boolean).map((line) => line.length - line.trimStart().length)
  const indent = Math.min(...indents)
  return lines.map((line) => line.slice(indent))
}
