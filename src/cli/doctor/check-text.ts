import { displayLine } from '../../core/text.ts'
import type { Check } from '../../harness/wiring/check.ts'
import { type Paint, plain, type Tone } from '../../text/paint.ts'
import { wrapProse } from '../../text/wrap.ts'

const MARKS: Record<Check['status'], [mark: string, tone: Tone]> = {
  ok: ['✓', 'good'],
  warning: ['!', 'waiting'],
  broken: ['✗', 'bad'],
}
const MARK_COLUMNS = 4
const NAME_COLUMNS = 16
const NARROW_COLUMNS = 50
const WIDEST_PROSE = 100

/** One check and what to do about it. `width` is undefined if nobody is looking: then no line is wrapped. */
export function checkText(
  { name, status, detail, mend: fix }: Check,
  { width = Number.POSITIVE_INFINITY, paint = plain }: { width?: number; paint?: Paint },
): string {
  const [mark, tone] = MARKS[status]
  const isNarrow = width < NARROW_COLUMNS
  const indent = isNarrow ? MARK_COLUMNS : MARK_COLUMNS + NAME_COLUMNS
  const columns =
    width === Number.POSITIVE_INFINITY ? width : Math.min(WIDEST_PROSE, Math.max(1, width - indent))
  const title = displayLine(name)
  const hasOwnLine = isNarrow || title.length >= NAME_COLUMNS
  const lines = wrapProse(displayLine(detail), columns)
  const advice = fix === null ? [] : wrapProse(displayLine(fix), columns - 2)
  const body = [
    ...lines,
    ...advice.map((line, index) => `${index === 0 ? paint(tone, '→') : ' '} ${line}`),
  ].map((line) => ' '.repeat(indent) + line)
  const heading = `  ${paint(tone, mark)} ${paint('heading', title)}`
  if (hasOwnLine) return [heading, ...body].join('\n')
  const [first = '', ...rest] = body
  return [heading + first.slice(MARK_COLUMNS + title.length), ...rest].join('\n').trimEnd()
}
