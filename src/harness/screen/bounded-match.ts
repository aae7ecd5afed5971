import { createContext, Script } from 'node:vm'
import type { Screen } from '../../core/screen/screen.ts'
import { MAX_LINE_CHARS, MAX_LINES } from '../../core/screen/screen-match.ts'
import type { Matches } from '../../core/screen/screen-region.ts'
import type { Pattern } from '../../core/screen/screen-rule.ts'

/** How long an operator's pattern may take for a whole screen. It gets a second try, because the machine may be busy. */
export const MATCH_MS = 100
/** One look finds at most this many slow patterns; the ones after them say nothing until the next look. */
const MOST_SLOW = 3

/**
 * Matches on one screen. The patterns in `bounded` are not ours and may backtrack forever; only the timeout of
 * a script can interrupt that (V8 checks for one while it backtracks). It costs a thread per run, so we run
 * them together over all lines, and separately only if that took too long.
 */
export function boundedMatches(
  { lines, title }: Screen,
  bounded: ReadonlySet<Pattern>,
  outOfTime: (pattern: Pattern) => void,
): Matches {
  let results: ReadonlyMap<Pattern, ReadonlySet<string>> | undefined
  return (pattern, line) => {
    if (!bounded.has(pattern)) return pattern.test(line)
    results ??= resultsIn([title, ...lines.slice(-MAX_LINES)], [...bounded], outOfTime)
    return results.get(pattern)?.has(short(line))
  }
}

function resultsIn(
  lines: readonly string[],
  patterns: readonly Pattern[],
  outOfTime: (pattern: Pattern) => void,
): ReadonlyMap<Pattern, ReadonlySet<string>> {
  const texts = [...new Set(lines.map(short))]
  const together = matching(patterns, texts)
  const results = new Map<Pattern, ReadonlySet<string>>()
  let slow = 0
  for (const [at, pattern] of patterns.entries()) {
    const found = together?.[at] ?? matching([pattern], texts)?.[0]
    if (found) results.set(pattern, new Set(found))
    else outOfTime(pattern)
    if (!found) slow++
    if (slow === MOST_SLOW) break
  }
  return results
}

const context = createContext(Object.create(null), {
  codeGeneration: { strings: false, wasm: false },
})
const script = new Script('patterns.map((pattern) => lines.filter((line) => pattern.test(line)))')

/** The lines that each pattern matches. Undefined: they ran out of time. */
function matching(
  patterns: readonly Pattern[],
  lines: readonly string[],
): readonly (readonly string[])[] | undefined {
  Object.assign(context, { patterns, lines })
  try {
    return script.runInContext(context, { timeout: MATCH_MS })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  } finally {
    Object.assign(context, { patterns: undefined, lines: undefined })
  }
}

function short(line: string): string {
  return line.slice(0, MAX_LINE_CHARS)
}
