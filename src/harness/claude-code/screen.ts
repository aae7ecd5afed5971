import { truncate } from '../../core/text.ts'
import type { ScreenReading } from '../adapter.ts'
import { MAX_ASK_CHARS } from './ask.ts'

/**
 * What the screen of Claude Code shows (2.1.325). A dialog takes the composer's place at the bottom, so
 * what an agent writes, which is above the composer, is never taken for one.
 */
export function readScreen(screen: string): ScreenReading | undefined {
  const lines = screen.split('\n').map((line) => line.trimEnd())
  const shown = lines.filter((line) => line !== '')
  if (shown.slice(-6).some((line) => /esc to interrupt/i.test(line))) {
    return { claim: 'working', detail: 'esc to interrupt' }
  }
  const composer = composerIn(shown)
  if (composer === undefined) return isDialog(shown) ? dialogReading(lines) : undefined
  const conversation = shown.slice(0, composer)
  if (conversation.slice(-6).some((line) => /^✻ Waiting for \d+ background agent/.test(line))) {
    return { claim: 'working', detail: 'waiting for a background agent' }
  }
  if (!conversation.some((line) => /^[●⏺✻] /.test(line))) return undefined
  return { claim: 'stuck', reason: 'stopped', detail: 'an idle composer' }
}

/** The native build is named after its version when it was installed with its own installer. */
export function isClaudeCode(processName: string): boolean {
  return processName === 'claude' || /^\d+\.\d+\.\d+$/.test(processName)
}

const DIALOG_KEYS =
  /\b(?:Esc to cancel|Enter to (?:confirm|select|set|continue)|ctrl\+g to edit)\b/i
const RULE = /^\s*[─▔]{20,}/
const INNER_RULE = /^\s*[╌┄]{10,}$/
const MARKED = /^\s*│?\s*❯ \S/
/** A shell's own prompt may look like a mark, but begins its line. */
const MARKED_WITHIN = /^\s+❯ \S/
const CHOICE = /^\s+(?:❯ )?\d+\. \S/
const FIRST_START = /^ (?:Let's get started\.|Choose the text style)/m
const BOTTOM_LINES = 16
const DIALOG_LINES = 40

/** The line between two rules on which the human types. */
function composerIn(shown: readonly string[]): number | undefined {
  const index = shown.findLastIndex((line, at) => /^❯(?:\s|$)/.test(line) && isRule(shown[at - 1]))
  if (index === -1 || index < shown.length - BOTTOM_LINES) return undefined
  return shown.slice(index + 1).some(isRule) ? index : undefined
}

/**
 * It ends with its keys; the few that have none end with a choice, or are those of the very first
 * start. Anything else with a mark may be what some other program has left on the screen.
 */
function isDialog(shown: readonly string[]): boolean {
  const bottom = shown.slice(-DIALOG_LINES)
  const last = shown.at(-1) ?? ''
  if (DIALOG_KEYS.test(last)) return bottom.some((line) => MARKED.test(line))
  if (!bottom.some((line) => MARKED_WITHIN.test(line))) return false
  if (FIRST_START.test(bottom.join('\n'))) return true
  const mark = bottom.findLastIndex((line) => MARKED_WITHIN.test(line))
  return (
    CHOICE.test(last) && bottom.slice(mark).every(isChoice) && bottom.slice(0, mark).some(isRule)
  )
}

function isChoice(line: string): boolean {
  return CHOICE.test(line)
}

function dialogReading(lines: readonly string[]): ScreenReading {
  const text = truncate(dialogText(lines), MAX_ASK_CHARS)
  return { claim: 'stuck', reason: 'permission', ask: { text }, detail: 'a dialog is open' }
}

/** From the rule above it on; one between its choices, or under a plan, does not begin it. */
function dialogText(lines: readonly string[]): string {
  const above = lines.slice(
    0,
    lines.findLastIndex((line) => MARKED.test(line)),
  )
  const thick = above.findLastIndex((line) => /^\s*▔{20,}/.test(line))
  const start = thick === -1 ? above.findLastIndex(isRule) : thick
  const body = lines
    .slice(start + 1)
    .filter((line) => !isRule(line) && !/^\s*Tip: /.test(line))
    .map((line) => (INNER_RULE.test(line) ? '' : line.replaceAll(/^\s*│ ?|│\s*$/g, '').trimEnd()))
    .filter((line, at, all) => line !== '' || (all[at - 1] ?? '') !== '')
  const indents = body.filter(Boolean).map((line) => line.length - line.trimStart().length)
  const indent = Math.min(...indents)
  return body
    .map((line) => line.slice(indent))
    .join('\n')
    .trim()
}

function isRule(line: string | undefined): boolean {
  return line !== undefined && RULE.test(line)
}
