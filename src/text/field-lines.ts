import { displayLine } from '../core/text.ts'

/** Names and what stands for them, in two columns; what is not known has no line. */
export function fieldLines(fields: readonly (readonly [string, string | undefined])[]): string[] {
  const known = fields.filter((field): field is [string, string] => field[1] !== undefined)
  const widest = Math.max(0, ...known.map(([name]) => name.length))
  return known.map(([name, value]) => `  ${name.padEnd(widest)}  ${displayLine(value)}`)
}
