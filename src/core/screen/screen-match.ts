import type { WaitLabel } from '../session/wait-label.ts'
import { isCursorAtEnd, type Screen } from './screen.ts'
import { askOf } from './screen-ask.ts'
import { linesOf, type Matches, type Test } from './screen-region.ts'
import {
  type Anchor,
  type CursorPlace,
  type LineTest,
  type Pattern,
  rulesInOrder,
  type ScreenPart,
  type ScreenRule,
  type Shows,
} from './screen-rule.ts'
import type { Signal } from './signals.ts'

/** What the rules say about a screen. */
export type Sight = {
  rule: string
  shows: Shows
  ask?: string
  label?: WaitLabel
  signal?: Signal
  /** A program that just started looks the same. */
  isAlsoAtStart?: true
}

/** One rule tried on a screen. The first one that fits counts. */
export type Trial = {
  rule: ScreenRule
  fits: boolean
  /** The first clause that did not hold, for a rule that does not fit. */
  failure?: ClauseFailure
  /** The lines that made the clauses hold. */
  findings: Finding[]
}

type Finding = { pattern: Pattern; line: string }

export type ClauseFailure =
  | { clause: 'region'; part: ScreenPart; lost: Anchor }
  | { clause: 'all'; part: ScreenPart; pattern: Pattern }
  | { clause: 'any'; part: ScreenPart; patterns: readonly Pattern[] }
  | { clause: 'none'; part: ScreenPart; pattern: Pattern; line: string }
  | { clause: 'every'; part: ScreenPart; line: string }
  | { clause: 'unless'; part: ScreenPart; findings: Finding[] }
  | { clause: 'title'; title: string; failure: ClauseFailure }
  | { clause: 'cursor'; place: CursorPlace; screen: Screen }
  | { clause: 'time'; pattern: Pattern }

/** Undefined: no rule knows this screen. */
export function matchScreen(
  rules: readonly ScreenRule[],
  screen: Screen,
  matches: Matches = natively,
): Sight | undefined {
  const view = viewOf(screen, matches)
  for (const rule of rulesInOrder(rules)) {
    if (tried(rule, view).fits) return sightOf(rule, view)
  }
  return undefined
}

/** The same, but tries every rule, including those after the one that counts. */
export function trialsOf(
  rules: readonly ScreenRule[],
  screen: Screen,
  matches: Matches = natively,
): { sight: Sight | undefined; trials: Trial[] } {
  const view = viewOf(screen, matches)
  const trials = rulesInOrder(rules).map((rule) => tried(rule, view))
  const first = trials.find(({ fits }) => fits)
  return { sight: first && sightOf(first.rule, view), trials }
}

/** More than any terminal shows; we ignore anything beyond, so that every look is cheap. */
export const MAX_LINES = 400
export const MAX_LINE_CHARS = 1_000

type View = {
  screen: Screen
  lines: readonly string[]
  /** The lines that are not empty. */
  shown: readonly string[]
  test: Test
  /** The pattern that took too long, if any. */
  slow: Pattern | undefined
}

const natively: Matches = (pattern, line) => pattern.test(line)

function viewOf(screen: Screen, matches: Matches): View {
  const lines = screen.lines.slice(-MAX_LINES)
  const shown = lines.filter(Boolean).map((line) => line.slice(0, MAX_LINE_CHARS))
  const view: View = {
    screen,
    lines,
    shown,
    slow: undefined,
    test: (pattern, line) => {
      if (view.slow) return false
      const fits = matches(pattern, line.slice(0, MAX_LINE_CHARS))
      if (fits === undefined) view.slow = pattern
      return fits ?? false
    },
  }
  return view
}

function sightOf(rule: ScreenRule, view: View): Sight {
  const { name, shows, ask, signal, isAlsoAtStart } = rule
  const cut = ask && askOf(ask, view.lines, view.test)
  const text = view.slow ? undefined : cut
  const label = labelFor(rule, text, view) ?? LABELS[shows]
  return {
    rule: name,
    shows,
    ...(text && { ask: text }),
    ...(label && { label }),
    ...(signal && { signal }),
    ...(isAlsoAtStart && { isAlsoAtStart }),
  }
}

/** A dialog asks something; a program at its prompt may or may not have finished. */
const LABELS: Partial<Record<Shows, WaitLabel>> = { dialog: 'asks', idle: 'waits', failed: 'error' }

function labelFor(
  { region, labels = [] }: ScreenRule,
  ask: string | undefined,
  { shown, test }: View,
): WaitLabel | undefined {
  const within = linesOf(region, shown, test)
  const lines = ask?.split('\n') ?? ('lines' in within ? within.lines : [])
  return labels.find((one) => !linesFailure(one, lines, test, [], one))?.label
}

/** A pattern that took too long says neither that a line matches nor that none does. */
function tried(rule: ScreenRule, view: View): Trial {
  view.slow = undefined
  const findings: Finding[] = []
  const failed = firstFailure(rule, view, findings)
  const slow: Pattern | undefined = view.slow
  const failure: ClauseFailure | undefined = slow ? { clause: 'time', pattern: slow } : failed
  view.slow = undefined
  return { rule, fits: !failure, ...(failure && { failure }), findings }
}

function firstFailure(
  rule: ScreenRule,
  view: View,
  findings: Finding[],
): ClauseFailure | undefined {
  return (
    cursorFailure(rule.cursor, view.screen) ??
    titleFailure(rule.title, view, findings) ??
    partFailure(rule, view, findings) ??
    firstOf(rule.also, (part) => partFailure(part, view, findings)) ??
    firstOf(rule.unless, (part) => unlessFailure(part, view))
  )
}

function partFailure(part: ScreenPart, view: View, findings: Finding[]): ClauseFailure | undefined {
  const region = linesOf(part.region, view.shown, view.test)
  if ('lost' in region) return { clause: 'region', part, lost: region.lost }
  const { lines } = region
  return (
    linesFailure(part, lines, view.test, findings, part) ??
    everyFailure(part, lines, view.test, findings)
  )
}

function linesFailure(
  { all, any, none }: LineTest,
  lines: readonly string[],
  test: Test,
  findings: Finding[],
  part: ScreenPart,
): ClauseFailure | undefined {
  const found = (pattern: Pattern) => {
    const line = lines.findLast((one) => test(pattern, one))
    return line === undefined ? undefined : { pattern, line }
  }
  for (const pattern of all ?? []) {
    const finding = found(pattern)
    if (!finding) return { clause: 'all', part, pattern }
    findings.push(finding)
  }
  if (any) {
    const finding = firstOf(any, found)
    if (!finding) return { clause: 'any', part, patterns: any }
    findings.push(finding)
  }
  const refused = firstOf(none, found)
  return refused && { clause: 'none', part, ...refused }
}

function everyFailure(
  part: ScreenPart,
  lines: readonly string[],
  test: Test,
  findings: Finding[],
): ClauseFailure | undefined {
  const { every } = part
  if (!every) return undefined
  const other = lines.find((line) => !every.some((pattern) => test(pattern, line)))
  const [first] = lines
  if (other !== undefined || first === undefined)
    return { clause: 'every', part, line: other ?? '' }
  for (const pattern of every) findings.push({ pattern, line: first })
  return undefined
}

function unlessFailure(part: ScreenPart, view: View): ClauseFailure | undefined {
  const findings: Finding[] = []
  return partFailure(part, view, findings) ? undefined : { clause: 'unless', part, findings }
}

function titleFailure(
  title: LineTest | undefined,
  { screen, test }: View,
  findings: Finding[],
): ClauseFailure | undefined {
  const failure = title && linesFailure(title, [screen.title], test, findings, title)
  return failure && { clause: 'title', title: screen.title, failure }
}

function cursorFailure(place: CursorPlace | undefined, screen: Screen): ClauseFailure | undefined {
  if (place === undefined || isCursorAt(place, screen)) return undefined
  return { clause: 'cursor', place, screen }
}

function isCursorAt(place: CursorPlace, screen: Screen): boolean {
  if (!screen.cursor) return false
  if (place === 'end') return isCursorAtEnd(screen)
  return screen.cursor.visible === (place === 'shown')
}

function firstOf<Item, Result>(
  items: readonly Item[] | undefined,
  look: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items ?? []) {
    const result = look(item)
    if (result !== undefined) return result
  }
  return undefined
}
