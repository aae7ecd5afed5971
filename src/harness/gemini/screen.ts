import type { ScreenPart, ScreenRule } from '../../core/screen/screen-rule.ts'

/** Between the conversation and the composer; without any colours also around the typed text. */
const RULE = /^─{20,}$/
/** The dialogs at its start are indented. */
const FRAME_TOP = /^ ?╭─{10,}╮$/
const FRAME_BOTTOM = /^ ?╰─{10,}╯$/
const CHOICE = /^ ?│\s+● \S/
const PROMPT = /^ [>!*](?: |$)/
/** Below that rule: a line about the mode, or the frame of the composer, which exists only in true colours. */
const UNDER_RULE = /^(?:▄{20,}$| (?!workspace\b|[>!*](?: |$))\S)/
/** Begins a message: of the agent, an error, a notice, a tool's box, a prompt or its frame. */
const MESSAGE = /^(?:[✦✕ℹ⚠] |╭─|▀{20,}| ?> \S)/
/** The agent's text continues after two blanks, and so does the logo. */
const PROSE = /^ {2}[^\s▗▝]/
const BANNER = /^ ?▝▜▄ | {2}Authenticated with /

/** A shell that is back writes over it, starting in the first column. */
const COMPOSER: ScreenPart = {
  region: [{ last: 20 }, { after: [RULE, UNDER_RULE] }],
  all: [PROMPT],
  none: [/^[^\s▄▀─]/],
}
const CONVERSATION = { before: [RULE, UNDER_RULE] }
const READY = /^◇ {1,2}Ready\b/
const DIALOG = [{ last: 60 }, { from: FRAME_TOP }] as const
/** While it runs hooks it may draw its hint over the spinner. */
const SPINNER = /^(?:\s[⠁-⣿]\s|\? for shortcuts.*\(esc to cancel, [\dms ]+\))/

const END_OF_WORDS = /^─{20,}$|\? for shortcuts/

/** From the title of its box, without the frame of the box's content. */
const DIALOG_TEXT = {
  mark: CHOICE,
  below: [FRAME_TOP],
  drop: [/^│\s*[╭╰]─.*[╮╯]\s*│$/, FRAME_BOTTOM],
}

const PERMISSION = { label: 'permission', any: [/^\s*● 1\. Allow once/] } as const

/**
 * The screen and the title of Gemini CLI (0.61.0). A dialog is a box at the very bottom, in place of the
 * composer, so an agent's own text, which is above the composer, is never taken for one. The title shows the
 * state, unless its owner has turned that off.
 */
export const screenRules: readonly ScreenRule[] = [
  {
    name: 'a dialog',
    shows: 'dialog',
    priority: 100,
    region: DIALOG,
    all: [CHOICE],
    also: [{ region: { last: 1 }, all: [FRAME_BOTTOM] }],
    unless: [COMPOSER],
    ask: DIALOG_TEXT,
    labels: [PERMISSION],
  },
  {
    name: 'the end of a dialog',
    shows: 'dialog',
    priority: 98,
    region: { last: 60 },
    all: [CHOICE],
    none: [FRAME_TOP],
    also: [{ region: { last: 1 }, all: [FRAME_BOTTOM] }],
    unless: [COMPOSER],
    ask: { drop: DIALOG_TEXT.drop },
    labels: [PERMISSION],
  },
  {
    name: 'a title that says Action Required',
    shows: 'dialog',
    priority: 95,
    title: { all: [/^✋ {1,2}Action Required\b/] },
    unless: [COMPOSER],
    ask: { ...DIALOG_TEXT, mark: FRAME_BOTTOM },
    labels: [PERMISSION],
  },
  {
    name: 'a title that says Working',
    shows: 'working',
    priority: 90,
    title: { any: [/^✦ {1,2}\S/, /^⏲ {1,2}Working/] },
  },
  {
    name: 'a spinner above the composer',
    shows: 'working',
    priority: 85,
    region: [CONVERSATION, { last: 4 }],
    all: [SPINNER],
    also: [COMPOSER],
    title: { none: [READY] },
  },
  {
    name: 'an API error',
    shows: 'failed',
    priority: 80,
    region: [CONVERSATION, { from: /^(?:[✦✕] |╭─|▀{20,}| ?> \S)/ }, { first: 1 }],
    all: [/^✕ /],
    also: [COMPOSER],
    ask: { mark: RULE, from: [/^✕ /], until: /^(?:ℹ |\s*$)/ },
  },
  {
    // On a small screen the error itself is above the top.
    name: 'the end of an API error',
    shows: 'failed',
    priority: 75,
    region: [CONVERSATION, { from: MESSAGE }, { first: 1 }],
    all: [/^ℹ This request failed\./],
    also: [COMPOSER],
    ask: { mark: RULE, from: [/^ℹ This request failed\./], until: END_OF_WORDS },
  },
  {
    name: 'an idle composer',
    shows: 'idle',
    priority: 70,
    region: CONVERSATION,
    all: [MESSAGE],
    any: [/^[✦✕] /, /^ℹ Request cancelled\./, FRAME_BOTTOM],
    also: [COMPOSER],
    ask: { mark: RULE, from: [/^(?:✦ |ℹ Request cancelled)/], until: END_OF_WORDS },
    labels: [{ label: 'interrupted', any: [/^ℹ Request cancelled/] }, { label: 'finished' }],
  },
  {
    name: 'an idle composer under the end of a long answer',
    shows: 'idle',
    priority: 65,
    region: CONVERSATION,
    all: [PROSE],
    none: [BANNER],
    also: [COMPOSER],
    ask: { mark: RULE, until: END_OF_WORDS },
    labels: [{ label: 'finished' }],
  },
  {
    // There may be no room for a line of the conversation.
    name: 'a title that says Ready',
    shows: 'idle',
    priority: 60,
    isAlsoAtStart: true,
    title: { all: [READY] },
    region: CONVERSATION,
    none: [BANNER],
    also: [COMPOSER],
    labels: [{ label: 'finished' }],
  },
]
