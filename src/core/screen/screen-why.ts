import { truncate } from '../text.ts'
import type { ClauseFailure } from './screen-match.ts'
import { patternsOf, stepsOf } from './screen-region.ts'
import type { Anchor, Pattern, Region, RegionStep } from './screen-rule.ts'

/** Why a rule does not fit, as half a sentence. */
export function whyNot(failure: ClauseFailure): string {
  switch (failure.clause) {
    case 'region':
      return `there is no ${anchorText(failure.lost)}`
    case 'all':
      return noneText(failure.part.region, [failure.pattern])
    case 'any':
      return noneText(failure.part.region, failure.patterns)
    case 'none':
      return `${lineText(failure.line)} in ${regionText(failure.part.region)} matches ${patternText(failure.pattern)}, which must not be there`
    case 'every':
      return everyText(failure)
    case 'unless':
      return `there is what must not be there: ${unlessText(failure)}`
    case 'title':
      return titleText(failure)
    case 'cursor':
      return cursorText(failure)
    case 'time':
      return `${patternText(failure.pattern)} took too long to match, so the rule is out of use`
    default:
      return failure satisfies never
  }
}

export function patternText({ source, flags }: Pattern): string {
  return `/${truncate(source, MAX_SHOWN_CHARS)}/${flags.replace('u', '')}`
}

function lineText(line: string): string {
  return `"${truncate(line.trim(), MAX_SHOWN_CHARS)}"`
}

/** "the last 6 lines", "what follows the last line like /…/ in the last 17 lines". */
function regionText(region: Region | undefined): string {
  return stepsOf(region).reduce<string>(stepText, WHOLE)
}

const MAX_SHOWN_CHARS = 60
const MOST_SHOWN_PATTERNS = 3
const WHOLE = 'the screen'

function stepText(within: string, step: RegionStep): string {
  const of = within === WHOLE ? '' : ` of ${within}`
  if ('last' in step) return `the last ${step.last === 1 ? 'line' : `${step.last} lines`}${of}`
  if ('first' in step) return `the first ${step.first === 1 ? 'line' : `${step.first} lines`}${of}`
  const inside = within === WHOLE ? '' : ` in ${within}`
  if ('before' in step) return `what is above the ${anchorText(step.before)}${inside}`
  if ('after' in step) return `what is below the ${anchorText(step.after)}${inside}`
  return `what begins with the ${anchorText(step.from)}${inside}`
}

function anchorText(anchor: Anchor): string {
  const patterns = patternsOf(anchor).map(patternText)
  const lines = patterns.length === 1 ? 'line' : 'pair of lines'
  return `${patterns.length > 2 ? 'run of lines' : lines} like ${patterns.join(' and ')}`
}

function noneText(region: Region | undefined, patterns: readonly Pattern[]): string {
  const where = regionText(region)
  const isOneLine = /^the (?:last|first) line\b/.test(where)
  return isOneLine
    ? `${where} does not match ${eitherText(patterns)}`
    : `no line in ${where} matches ${eitherText(patterns)}`
}

function eitherText(patterns: readonly Pattern[]): string {
  const texts = patterns.slice(0, MOST_SHOWN_PATTERNS).map(patternText)
  const more = patterns.length - texts.length
  if (patterns.length === 1) return texts[0] ?? ''
  return `any of ${texts.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function everyText({ part, line }: Extract<ClauseFailure, { clause: 'every' }>): string {
  const region = regionText(part.region)
  if (line === '') return `there is no line in ${region}`
  return `${lineText(line)} in ${region} does not match ${eitherText(part.every ?? [])}`
}

function unlessText({ part, findings }: Extract<ClauseFailure, { clause: 'unless' }>): string {
  const [finding] = findings
  if (finding) return `${lineText(finding.line)} in ${regionText(part.region)}`
  return regionText(part.region)
}

function titleText({ title, failure }: Extract<ClauseFailure, { clause: 'title' }>): string {
  const is = title === '' ? 'the title is empty' : `the title is ${lineText(title)}`
  if (failure.clause === 'none') return `${is} and matches ${patternText(failure.pattern)}`
  if (failure.clause === 'all') return `${is} and does not match ${patternText(failure.pattern)}`
  const any = failure.clause === 'any' ? failure.patterns : []
  return `${is} and does not match ${eitherText(any)}`
}

function cursorText({ place, screen }: Extract<ClauseFailure, { clause: 'cursor' }>): string {
  if (!screen.cursor) return 'where the cursor stands is not known'
  if (place === 'hidden') return 'the cursor is not hidden'
  if (!screen.cursor.visible) return 'the cursor is hidden'
  return `the cursor stands at ${screen.cursor.x},${screen.cursor.y}, not behind the text of the last line`
}
