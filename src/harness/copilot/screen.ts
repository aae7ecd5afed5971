import type { ScreenPart, ScreenRule } from '../../core/screen/screen-rule.ts'

const RULE = /^─{20,}$/
const PROMPT = /^❯(?:\s|$)/
/** Its own lines begin after one blank, the agent's text after three. */
const SAID = /^ [●✗❯$!] \S/
const ASKED = /^ ❯ \S/
const PROSE = /^ {3}\S/
const BANNER = /\bCopilot v\d+\.\d+/
const FRAME_TOP = /^╭─{10,}╮$/
const FRAME_BOTTOM = /^╰─{10,}╯$/
const FORM_KEYS = /^ .*\benter accept\b.*\besc cancel$/

const COMPOSER: ScreenPart = {
  region: [{ last: 24 }, { after: [RULE, PROMPT] }],
  all: [RULE],
}
const CONVERSATION = { before: [RULE, PROMPT] }
/** The directory stands between the conversation and the composer. */
const UNTIL_DIRECTORY = /^(?: [/~]\S*|─{20,})(?:\s|$)/
const LAST_ANSWER = { mark: RULE, from: [/^ [●✗] \S/], until: UNTIL_DIRECTORY }

/**
 * The screen of Copilot CLI (1.0.102); its title does not show its state. A dialog is a box at the very bottom,
 * in place of the composer, and the line below the composer shows that it works.
 */
export const screenRules: readonly ScreenRule[] = [
  {
    name: 'a dialog',
    shows: 'dialog',
    priority: 100,
    region: [{ last: 60 }, { from: FRAME_TOP }],
    any: [/^│ ❯ \d+\. /, /^│ .*\besc to cancel\b/],
    also: [{ region: { last: 1 }, all: [FRAME_BOTTOM] }],
    unless: [COMPOSER],
    ask: {
      mark: FRAME_BOTTOM,
      below: [FRAME_TOP],
      until: FRAME_BOTTOM,
      drop: [/^│ [╭╰─]─+[╮╯─] │$/, /^│ ↑\/↓ to navigate/],
    },
    labels: [{ label: 'permission', any: [/^\s*Do you want to \w/] }],
  },
  {
    name: 'a form',
    shows: 'dialog',
    priority: 95,
    region: { last: 2 },
    all: [FORM_KEYS, RULE],
    unless: [COMPOSER],
    ask: { mark: FORM_KEYS, below: [RULE], until: FORM_KEYS },
  },
  {
    name: 'a line under the composer that says it works',
    shows: 'working',
    priority: 90,
    region: { last: 1 },
    any: [/^ \S Working\b/, /^ \S .*\besc esc (?:interrupt|edit prompt)\b/],
    also: [COMPOSER],
  },
  {
    name: 'a request that failed',
    shows: 'failed',
    priority: 80,
    region: [CONVERSATION, { from: SAID }, { first: 1 }],
    all: [/^ ✗ /],
    also: [COMPOSER],
    ask: LAST_ANSWER,
  },
  {
    name: 'an idle composer',
    shows: 'idle',
    priority: 70,
    region: CONVERSATION,
    all: [ASKED],
    also: [COMPOSER],
    ask: LAST_ANSWER,
    labels: [{ label: 'finished' }],
  },
  {
    name: 'an idle composer under the end of a long answer',
    shows: 'idle',
    priority: 65,
    region: CONVERSATION,
    all: [PROSE],
    none: [BANNER],
    also: [COMPOSER],
    ask: LAST_ANSWER,
    labels: [{ label: 'finished' }],
  },
]
