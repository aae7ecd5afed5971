import type { Sight } from '../../core/screen/screen-match.ts'
import type { Shows } from '../../core/screen/screen-rule.ts'
import { whyNot } from '../../core/screen/screen-why.ts'
import type { WaitLabel } from '../../core/session/wait-label.ts'
import { displayLine, displayText, truncate } from '../../core/text.ts'
import { readingOf } from '../../harness/screen/screen-reading.ts'
import type { OwnedTrial } from '../../harness/screen-reader.ts'
import { proseWidth, type Reader } from '../../text/reader.ts'
import { wrapProse } from '../../text/wrap.ts'

/** What the rules make of a screen, as `--json` prints it. */
export type ScreenExplanation = {
  harness: string
  rule: string | null
  shows: Shows | null
  claim: 'stuck' | 'working' | null
  reason: 'permission' | 'stopped' | null
  label: WaitLabel | null
  ask: string | null
  signal: string | null
  /** In the order in which they are tried. */
  rules: TriedRule[]
}

type TriedRule = {
  name: string
  shows: Shows
  priority: number
  /** Whether it is the operator's own rule. */
  own: boolean
  fits: boolean
  /** Why it does not match. */
  why: string | null
  found: { pattern: string; line: string }[]
}

export function screenExplanation(
  harness: string,
  { sight, trials }: { sight: Sight | undefined; trials: readonly OwnedTrial[] },
): ScreenExplanation {
  const reading = readingOf(sight)
  return {
    harness,
    rule: sight?.rule ?? null,
    shows: sight?.shows ?? null,
    claim: reading?.claim ?? null,
    reason: reading?.claim === 'stuck' ? reading.reason : null,
    label: (reading?.claim === 'stuck' && reading.label) || null,
    ask: sight?.ask ?? null,
    signal: sight?.signal ?? null,
    rules: trials.map(({ rule, isOwn, fits, failure, findings }) => ({
      name: rule.name,
      shows: rule.shows,
      priority: rule.priority,
      own: isOwn,
      fits,
      why: failure ? whyNot(failure) : null,
      found: findings.map(({ pattern, line }) => ({ pattern: pattern.source, line })),
    })),
  }
}

export function screenExplanationText(
  explained: ScreenExplanation,
  { title, isCursorKnown }: { title: string; isCursorKnown: boolean },
  reader: Reader,
): string {
  const width = proseWidth(reader)
  const counting = explained.rules.find(({ name }) => name === explained.rule)
  const parts = [
    wrapProse(standing(explained, title), width).join('\n'),
    explained.ask === null ? undefined : indented(displayText(explained.ask), 4),
    counting && counting.found.length > 0 ? foundText(counting) : undefined,
    [
      'Tried, the highest priority first:',
      ...explained.rules.flatMap((rule) => ruleLines(rule, explained, width)),
    ].join('\n'),
    cursorHint(explained, isCursorKnown),
  ]
  return parts.filter((part) => part !== undefined).join('\n\n')
}

const MEANING: Record<Shows, string> = {
  dialog: 'It waits for your answer.',
  idle: 'It waits for something to do.',
  failed: 'It stopped with an error, and waits for you.',
  finished: 'It is over, and the shell is back.',
  working: 'It works.',
}

function standing({ rule, shows, ask }: ScreenExplanation, title: string): string {
  if (rule === null || shows === null) {
    return `No rule matches this screen: it says nothing about ${title === 'The program' ? 'the program' : title}.`
  }
  const sentence = `${title} shows ${displayLine(rule)}. ${MEANING[shows]}`
  return ask === null ? sentence : sentence.replace(/\.$/, ':')
}

function foundText({ found }: TriedRule): string {
  return [
    'Because of these lines:',
    ...found.map(({ pattern, line }) => {
      return `  ${displayLine(line)}\n      like /${truncate(displayLine(pattern), 80)}/`
    }),
  ].join('\n')
}

function ruleLines(
  rule: TriedRule,
  { rule: counting }: ScreenExplanation,
  width: number,
): string[] {
  const counts = rule.name === counting
  const owner = rule.own ? ', your own' : ''
  const head = `${counts ? '→' : ' '} ${String(rule.priority).padStart(4)}  ${displayLine(rule.name)} (${rule.shows}${owner})`
  const why = counts
    ? 'fits, and counts'
    : rule.fits
      ? 'fits too, but comes later'
      : (rule.why ?? '')
  return [head, ...wrapProse(displayLine(why), width - 10).map((line) => `          ${line}`)]
}

function cursorHint({ rules }: ScreenExplanation, isCursorKnown: boolean): string | undefined {
  if (isCursorKnown || !rules.some(({ why }) => why?.includes('the cursor'))) return undefined
  return "Give the cursor's position with --cursor x,y, or --cursor hidden. In tmux:\n  tmux display -p -t %3 '#{cursor_x},#{cursor_y}'"
}

function indented(text: string, by: number): string {
  return text
    .split('\n')
    .map((line) => `${' '.repeat(by)}${line}`.trimEnd())
    .join('\n')
}
