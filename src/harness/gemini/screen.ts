import type { ScreenPart, ScreenRule } from '../../core/monitor/screen-rule.ts'

/** Between the conversation and the composer; neither has one of its own. */
const RULE = /^─{20,}$/
/** The dialogs of its start are indented. */
const FRAME_TOP = /^ ?╭─{10,}╮$/
const FRAME_BOTTOM = /^ ?╰─{10,}╯$/
const CHOICE = /^ ?│\s+● \S/
const PROMPT = /^\s[>!*]\s/
/** What begins a message: of the agent, an error, a notice, a tool's box, or a prompt's frame. */
const MESSAGE = /^(?:[✦✕ℹ⚠] |╭─|▀{20,})/

const COMPOSER: ScreenPart = {
  region: [{ last: 20 }, { after: RULE }],
  all: [/^▄{20,}/, PROMPT, /^▀{20,}/],
}
const CONVERSATION = { before: RULE }
const DIALOG = [{ last: 60 }, { from: FRAME_TOP }] as const
/** While it runs hooks it may draw its hint over the spinner. */
const SPINNER = /^(?:\s[⠁-⣿]\s|\? for shortcuts.*\(esc to cancel, [\dms ]+\))/

/** From the title of its box on, without the frame of what is in it. */
const DIALOG_TEXT = {
  mark: CHOICE,
  below: [FRAME_TOP],
  drop: [/^│\s*[╭╰]─.*[╮╯]\s*│$/, FRAME_BOTTOM],
}

const PERMISSION = { label: 'permission', any: [/^\s*● 1\. Allow once/] } as const

/**
 * The screen and the title of Gemini CLI (0.61.0). A dialog is a box at the very bottom, in place of the
 * composer, so what an agent writes, which is above the composer, is never taken for one. The title says
 * how it is, unless its owner has turned that off.
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
    title: { none: [/^◇ {1,2}Ready\b/] },
  },
  {
    name: 'an API error',
    shows: 'failed',
    priority: 80,
    region: [CONVERSATION, { from: /^(?:[✦✕] |╭─|▀{20,})/ }, { first: 1 }],
    all: [/^✕ /],
    also: [COMPOSER],
    ask: { mark: RULE, from: [/^✕ /], until: /^(?:ℹ |\s*$)/ },
  },
  {
    name: 'an idle composer',
    shows: 'idle',
    priority: 70,
    region: CONVERSATION,
    all: [MESSAGE],
    any: [/^[✦✕] /, /^ℹ Request cancelled\./, FRAME_BOTTOM],
    also: [COMPOSER],
    ask: { mark: RULE, from: [/^(?:✦ |ℹ Request cancelled)/], until: /^─{20,}$|\? for shortcuts/ },
    labels: [{ label: 'interrupted', any: [/^ℹ Request cancelled/] }, { label: 'finished' }],
  },
]
