import type { ScreenPart, ScreenRule } from '../../core/screen/screen-rule.ts'

const RULE = /^─{20,}$/
const PROMPT = /^[>!*?] /
/** Its own lines begin after two blanks, the agent's text after four. */
const LAST_SAID = /^ {2}(?:◆|✕ |- \S|●.? ?Request cancelled)/
const SAID = /^ {2}(?:◆|[✕>✓x?o-] \S)/
const PROSE = /^ {4}\S/
const BANNER = />_ Qwen Code \(v/
const CHOICE = /^ {3}(?:│ )?[›❯] \d+\. /
/** The frame of the dialogs at its start. */
const FRAME_TOP = /^ {3}╭─{10,}/
const FRAME_BOTTOM = /^ {3}╰─{10,}/

const COMPOSER: ScreenPart = {
  region: [{ last: 24 }, { after: [RULE, PROMPT] }],
  all: [RULE],
}
const CONVERSATION = { before: [RULE, PROMPT] }
const LAST_ANSWER = { mark: RULE, from: [LAST_SAID], until: RULE }

/** Denying a permission also ends the turn. */
const ENDS = [
  { label: 'interrupted', any: [/^\s*(?:- \S|●.? ?Request cancelled)/] },
  { label: 'finished' },
] as const

/**
 * The screen and the title of Qwen Code (0.24.4). A dialog is at the very bottom, in place of the composer, and
 * a permission has a spinner below it. The title shows the state, unless its owner has turned that off.
 */
export const screenRules: readonly ScreenRule[] = [
  {
    name: 'a permission',
    shows: 'dialog',
    priority: 100,
    region: { last: 60 },
    all: [CHOICE],
    also: [{ region: { last: 1 }, all: [/^ {2}[⠀-⣿] +\S/] }],
    unless: [COMPOSER],
    // If there are several, the arrow marks the one whose choices are shown.
    ask: { mark: CHOICE, from: [/^ {2}\? .*←$/, /^ {2}\? \S/], until: /^ {2}[⠀-⣿?] / },
    labels: [{ label: 'permission', any: [/\ballow once\b/i] }],
  },
  {
    name: 'a dialog of its start',
    shows: 'dialog',
    priority: 98,
    region: [{ last: 40 }, { from: FRAME_TOP }],
    all: [CHOICE],
    also: [{ region: { last: 1 }, all: [FRAME_BOTTOM] }],
    unless: [COMPOSER],
    ask: { mark: CHOICE, below: [FRAME_TOP], until: FRAME_BOTTOM },
  },
  {
    name: 'a title that asks',
    shows: 'dialog',
    priority: 95,
    title: { all: [/^✳/] },
    unless: [COMPOSER],
    ask: { last: 20 },
  },
  {
    name: 'a title that says it works',
    shows: 'working',
    priority: 90,
    title: { all: [/^◐/] },
  },
  {
    name: 'a timer above the composer',
    shows: 'working',
    priority: 85,
    region: [CONVERSATION, { last: 1 }],
    all: [/^ {2}\.{1,3} *\S.*\((?:\d+[hms] ?)+ · .*\)$/],
    also: [COMPOSER],
  },
  {
    name: 'an API error',
    shows: 'failed',
    priority: 80,
    region: [CONVERSATION, { from: SAID }, { first: 1 }],
    all: [/^ {2}✕ /],
    also: [COMPOSER],
    ask: LAST_ANSWER,
  },
  {
    name: 'an idle composer',
    shows: 'idle',
    priority: 70,
    region: CONVERSATION,
    any: [LAST_SAID, SAID],
    also: [COMPOSER],
    ask: LAST_ANSWER,
    labels: ENDS,
  },
  {
    name: 'an idle composer under the end of a long answer',
    shows: 'idle',
    priority: 65,
    region: CONVERSATION,
    all: [PROSE],
    none: [BANNER],
    also: [COMPOSER],
    ask: { mark: RULE, until: RULE },
    labels: [{ label: 'finished' }],
  },
]
