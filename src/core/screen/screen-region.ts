import type { Anchor, Pattern, Region, RegionStep } from './screen-rule.ts'

/** Whether a line matches. Undefined: that took too long to find out. */
export type Matches = (pattern: Pattern, line: string) => boolean | undefined

export type Test = (pattern: Pattern, line: string) => boolean

/** The lines of a region, or the anchor that no line matches. */
export function linesOf(
  region: Region | undefined,
  lines: readonly string[],
  test: Test,
): { lines: readonly string[] } | { lost: Anchor } {
  let left = lines
  for (const step of stepsOf(region)) {
    const anchor = anchorOf(step)
    const at = anchor ? placeOf(anchor, left, test) : 0
    if (anchor && at === undefined) return { lost: anchor }
    left = cut(left, step, at ?? 0)
  }
  return { lines: left }
}

export function stepsOf(region: Region | undefined): readonly RegionStep[] {
  if (region === undefined) return []
  return isList(region) ? region : [region]
}

export function patternsOf(anchor: Anchor): readonly Pattern[] {
  return isList(anchor) ? anchor : [anchor]
}

function cut(lines: readonly string[], step: RegionStep, at: number): readonly string[] {
  if ('last' in step) return lines.slice(-step.last)
  if ('first' in step) return lines.slice(0, step.first)
  if ('before' in step) return lines.slice(0, at)
  return 'after' in step ? lines.slice(at + patternsOf(step.after).length) : lines.slice(at)
}

function anchorOf(step: RegionStep): Anchor | undefined {
  if ('last' in step || 'first' in step) return undefined
  if ('before' in step) return step.before
  return 'after' in step ? step.after : step.from
}

function placeOf(anchor: Anchor, lines: readonly string[], test: Test): number | undefined {
  const patterns = patternsOf(anchor)
  const at = lines.findLastIndex((_, index) =>
    patterns.every((pattern, offset) => {
      const line = lines[index + offset]
      return line !== undefined && test(pattern, line)
    }),
  )
  return at === -1 ? undefined : at
}

function isList<Item>(value: Item | readonly Item[]): value is readonly Item[] {
  return Array.isArray(value)
}
