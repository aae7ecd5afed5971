import { createContext, Script } from 'node:vm'
import type { Screen } from '../core/monitor/screen.ts'
import { MAX_LINE_CHARS, MAX_LINES } from '../core/monitor/screen-match.ts'
import type { Matches } from '../core/monitor/screen-region.ts'
import type { Pattern } from '../core/monitor/screen-rule.ts'

/** How long a pattern of the operator's may take for a whole screen. It is tried twice: the machine may be busy. */
export const MATCH_MS = 100

/**
 * Matches on one screen. A pattern that is not ours may backtrack for ever, and nothing but the
 * timeout of a script can interrupt it (V8 looks for one while it backtracks). That costs a thread
 * per run, so such a pattern is run once over all lines.
 */
export function boundedMatches(
  { lines, title }: Screen,
  isTrusted: (pattern: Pattern) => boolean,
  outOfTime: (pattern: Pattern) => void,
): Matches {
  const texts = new Set([title, ...lines.slice(-MAX_LINES)].map(short))
  const results = new Map<Pattern, ReadonlySet<string> | undefined>()
  return (pattern, line) => {
    if (isTrusted(pattern)) return pattern.test(line)
    if (!results.has(pattern)) {
      const matching = matchingIn(pattern, [...texts])
      if (!matching) outOfTime(pattern)
      results.set(pattern, matching)
    }
    return results.get(pattern)?.has(short(line))
  }
}

const context = createContext(Object.create(null), {
  codeGeneration: { strings: false, wasm: false },
})
const script = new Script('lines.filter((line) => pattern.test(line))')

/** Undefined: it ran out of time, also the second time. */
function matchingIn(pattern: Pattern, lines: string[]): ReadonlySet<string> | undefined {
  return attempt(pattern, lines) ?? attempt(pattern, lines)
}

function attempt(pattern: Pattern, lines: string[]): ReadonlySet<string> | undefined {
  Object.assign(context, { pattern, lines })
  try {
    return new Set(script.runInContext(context, { timeout: MATCH_MS }) as string[])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  } finally {
    Object.assign(context, { pattern: undefined, lines: undefined })
  }
}

function short(line: string): string {
  return line.slice(0, MAX_LINE_CHARS)
}
