import type { ScreenPart, ScreenRule } from '../../core/screen/screen-rule.ts'

const RULE = /^\s*[─▔]{20,}/
const THICK_RULE = /^\s*▔{20,}/
const PROMPT = /^❯(?:\s|$)/
const BULLET = /^[●⏺✻] /
const DIALOG_KEYS =
  /\b(?:Esc to cancel|Enter to (?:confirm|select|set|continue)|ctrl\+g to edit)\b/i
const MARKED = /^\s*│?\s*❯ \S/
/** A shell's own prompt may look like a mark, but begins its line. */
const MARKED_WITHIN = /^\s+❯ \S/
const CHOICE = /^\s+(?:❯ )?\d+\. \S/
/** The last line above the choices, which may be wrapped. */
const PERMISSION = { label: 'permission', any: [/^\s*Do you want to /] } as const
const DIALOG_LINES = { last: 40 }

/** The line near the bottom, between two rules, on which the human types. */
const COMPOSER: ScreenPart = { region: [{ last: 17 }, { after: [RULE, PROMPT] }], all: [RULE] }
const ABOVE_COMPOSER = { before: [RULE, PROMPT] }

/** From the rule above it; a rule between its choices, or under a plan, does not begin it. */
const DIALOG_TEXT = { mark: MARKED, below: [THICK_RULE, RULE], drop: [RULE, /^\s*Tip: /] }

/**
 * The screen of Claude Code (2.1.325). A dialog takes the composer's place at the bottom, so an agent's own
 * text, which is above the composer, is never taken for one.
 */
export const screenRules: readonly ScreenRule[] = [
  {
    // It leaves its composer on the screen. A program that was started since has drawn below.
    name: 'how to resume it',
    shows: 'finished',
    priority: 110,
    region: { after: /^Resume this session with:$/ },
    all: [/^claude --resume \S/],
    none: [RULE],
  },
  {
    name: 'esc to interrupt',
    shows: 'working',
    priority: 100,
    region: [{ last: 17 }, { after: [RULE, PROMPT] }, { after: RULE }],
    all: [/esc to interrupt/i],
  },
  {
    // An agent's own text never touches the edge of the screen, except for its bullet.
    name: 'esc to interrupt beside the spinner',
    shows: 'working',
    priority: 100,
    region: { last: 6 },
    all: [/^[✻✽✶✳✢·*] .*esc to interrupt/i],
  },
  {
    name: 'waiting for a background agent',
    shows: 'working',
    priority: 90,
    signal: 'subagent',
    region: [ABOVE_COMPOSER, { last: 5 }],
    all: [/^✻ Waiting for \d+ background agent/],
    also: [COMPOSER],
  },
  {
    name: 'an API error',
    shows: 'failed',
    priority: 80,
    region: [ABOVE_COMPOSER, { from: /^[●⏺] / }, { first: 1 }],
    all: [/^[●⏺] (?:Please run \/login · )?API Error: /],
    also: [COMPOSER],
    ask: { mark: PROMPT, from: [/^[●⏺] (?=.*API Error: )/], until: /^(?:✻ |\s*$)/ },
  },
  {
    name: 'an interrupted turn',
    shows: 'idle',
    priority: 75,
    region: [ABOVE_COMPOSER, { from: /^(?:[●⏺] |❯ )/ }],
    all: [/^ {2}⎿ \s*Interrupted · /],
    also: [COMPOSER],
    labels: [{ label: 'interrupted' }],
  },
  {
    name: 'an idle composer',
    shows: 'idle',
    priority: 70,
    region: ABOVE_COMPOSER,
    all: [BULLET],
    also: [COMPOSER],
    labels: [{ label: 'finished' }],
  },
  {
    name: 'a dialog with its keys',
    shows: 'dialog',
    priority: 60,
    region: { last: 1 },
    all: [DIALOG_KEYS],
    also: [{ region: DIALOG_LINES, all: [MARKED] }],
    unless: [COMPOSER],
    ask: DIALOG_TEXT,
    labels: [PERMISSION],
  },
  {
    name: 'a dialog of the very first start',
    shows: 'dialog',
    priority: 50,
    region: DIALOG_LINES,
    all: [MARKED_WITHIN],
    any: [/^ Let's get started\./, /^ Choose the text style/],
    unless: [COMPOSER],
    ask: DIALOG_TEXT,
  },
  {
    // It has no keys. Any other text with a mark may be a program's leftover on the screen.
    name: 'a dialog that ends with its choices',
    shows: 'dialog',
    priority: 40,
    region: [DIALOG_LINES, { from: MARKED_WITHIN }],
    every: [CHOICE],
    also: [{ region: [DIALOG_LINES, { before: MARKED_WITHIN }], all: [RULE] }],
    unless: [COMPOSER],
    ask: DIALOG_TEXT,
    labels: [PERMISSION],
  },
]

/** The native build is named after its version if its own installer installed it. */
export function isClaudeCode(processName: string): boolean {
  return processName === 'claude' || /^\d+\.\d+\.\d+$/.test(processName)
}
