import { displayLine } from '../core/text.ts'
import type { Reader } from './reader.ts'
import { wrapProse } from './wrap.ts'

/** Names and their values in two columns; an unknown value has no line. */
export function fieldLines(
  fields: readonly (readonly [string, string | undefined])[],
  { width = Number.POSITIVE_INFINITY }: Pick<Reader, 'width'>,
): string[] {
  const known = fields.filter((field): field is [string, string] => field[1] !== undefined)
  const widest = Math.max(0, ...known.map(([name]) => name.length))
  const begins = widest + 4
  return known.flatMap(([name, value]) =>
    wrapProse(displayLine(value), Math.max(1, width - begins)).map(
      (line, at) => (at === 0 ? `  ${name}` : '').padEnd(begins) + line,
    ),
  )
}
