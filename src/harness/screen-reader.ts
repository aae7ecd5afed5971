import type { Screen } from '../core/screen/screen.ts'
import { matchScreen, type Sight, type Trial, trialsOf } from '../core/screen/screen-match.ts'
import type { Pattern, ScreenRule } from '../core/screen/screen-rule.ts'
import { patternText } from '../core/screen/screen-why.ts'
import type { OwnScreenRules } from './own-screen-rules.ts'
import { adapterFor } from './registry.ts'
import { boundedMatches, MATCH_MS } from './screen/bounded-match.ts'
import { GENERIC, genericScreenRules } from './screen/generic-screen.ts'

/** Reads screens by the built-in rules and the operator's own. */
export type ScreenReader = {
  /** `harness` may be `generic`, for a program that no adapter knows. */
  read(harness: string, screen: Screen): Sight | undefined
  explain(harness: string, screen: Screen): { sight: Sight | undefined; trials: OwnedTrial[] }
  /** Which of the operator's rules are not used, and why. Reading screens may add more. */
  problems(): readonly string[]
}

/** A trial, and whether its rule is the operator's. */
export type OwnedTrial = Trial & { isOwn: boolean }

export function createScreenReader({
  file,
  rules: own,
  problems: ruleProblems,
}: OwnScreenRules): ScreenReader {
  const problems = [...ruleProblems]
  const books = new Map<string, Book>()
  const bookFor = (harness: string): Book => {
    const known = books.get(harness)
    if (known) return known
    const book = bookOf(builtInRules(harness), own.get(harness) ?? [])
    for (const name of book.unknown) {
      problems.push(
        `${file}, ${harness}, rule ${JSON.stringify(name)}: there is no such rule to disable. See its name with: trailboss explain --screen FILE --harness ${harness}`,
      )
    }
    books.set(harness, book)
    return book
  }
  for (const harness of own.keys()) bookFor(harness)

  /** A rule that ran out of time once would do so at every look. */
  const giveUp = (harness: string, book: Book, pattern: Pattern) => {
    const rule = book.ownPatterns.get(pattern)
    if (!rule || !book.rules.includes(rule)) return
    book.rules = book.rules.filter((one) => one !== rule)
    problems.push(
      `${file}, ${harness}, rule ${JSON.stringify(rule.name)}: ${patternText(pattern)} took more than ${MATCH_MS} ms for one screen, twice, so the rule is not used any more. Write it without a repetition in a repetition, such as (a+)+.`,
    )
  }
  const matchesOn = (harness: string, book: Book, screen: Screen) => {
    const inUse = [...book.ownPatterns].filter(([, rule]) => book.rules.includes(rule))
    const patterns = new Set(inUse.map(([pattern]) => pattern))
    return boundedMatches(screen, patterns, (pattern) => giveUp(harness, book, pattern))
  }

  return {
    read(harness, screen) {
      const book = bookFor(harness)
      return matchScreen(book.rules, screen, matchesOn(harness, book, screen))
    },
    explain(harness, screen) {
      const book = bookFor(harness)
      const { sight, trials } = trialsOf(book.rules, screen, matchesOn(harness, book, screen))
      return {
        sight,
        trials: trials.map((trial) => ({ ...trial, isOwn: book.own.has(trial.rule) })),
      }
    },
    problems: () => problems,
  }
}

/** The rules for one harness. */
type Book = {
  rules: readonly ScreenRule[]
  own: ReadonlySet<ScreenRule>
  ownPatterns: ReadonlyMap<Pattern, ScreenRule>
  /** Names to disable for which there is no rule. */
  unknown: string[]
}

type OwnRule = NonNullable<ReturnType<OwnScreenRules['rules']['get']>>[number]

function builtInRules(harness: string): readonly ScreenRule[] {
  return harness === GENERIC ? genericScreenRules : (adapterFor(harness)?.screenRules ?? [])
}

/** A rule with the name of a built-in one replaces it; a new one comes before all others of its priority. */
function bookOf(builtIn: readonly ScreenRule[], own: readonly OwnRule[]): Book {
  const added = own.filter((rule): rule is ScreenRule => rule.disabled !== true)
  const named = new Set(own.map(({ name }) => name))
  const builtInNames = new Set(builtIn.map(({ name }) => name))
  return {
    rules: [...added, ...builtIn.filter(({ name }) => !named.has(name))],
    own: new Set(added),
    ownPatterns: new Map(
      added.flatMap((rule) => patternsWithin(rule).map((pattern) => [pattern, rule])),
    ),
    unknown: own
      .filter(({ name, disabled }) => disabled === true && !builtInNames.has(name))
      .map(({ name }) => name),
  }
}

function patternsWithin(value: unknown): Pattern[] {
  if (value instanceof RegExp) return [value]
  if (value === null || typeof value !== 'object') return []
  return Object.values(value).flatMap(patternsWithin)
}
