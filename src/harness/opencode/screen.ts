import type { ScreenPart, ScreenRule } from '../../core/screen/screen-rule.ts'

/** Everything with a bar at its left: prompts, errors, the composer, dialogs. The sidebar may be at its right. */
const BAR = /^ {1,6}┃(?:\s{15,}\S.*)?$/
const BAR_TEXT = /^ {1,6}┃ {2}\S/
const UNDER_COMPOSER = /^ {1,6}╹▀{10,}/

/** The state line, which a narrow pane folds. On the screen before the first prompt another line is below it. */
const STATE = [{ last: 6 }, { after: UNDER_COMPOSER }]
const COMPOSER: ScreenPart = { region: STATE, every: [/^ {3,}\S/] }
const EMPTY_COMPOSER = [BAR, BAR, BAR, BAR_TEXT, UNDER_COMPOSER]
/** From the last line with a bar and a text: a prompt, an error or a tool's output, and what follows it. */
const LAST_BLOCK = [{ before: EMPTY_COMPOSER }, { from: BAR_TEXT }]
const TURN = /^\s+▣ {2}\S/
/** An agent's own text may begin like one, but continues. */
const TURN_END = /^\s+▣ {2}[^·]+ · [^·]+(?: · (?:[\d.hms ]+|interrupted))?$/
const SIDEBAR = /^\s{40,}\S/
/** The last words: below the last prompt or tool, as wide as the composer. */
const LAST_WORDS = {
  mark: TURN_END,
  below: [/^ {1,4}┃/],
  until: TURN_END,
  within: UNDER_COMPOSER,
}

/** A spinner, or its replacement, then the key that interrupts. */
const INTERRUPT = /^\s*(?:[^\w\s/~.]{4,}|\[⋯\])\s.*\binterrupt\b/
/** If the line is folded, its words may be anywhere. */
const SPINNER = /^ {3}[■⬝]{4,}(?:\s|$)/
const DIALOG_KEYS = [
  /^ {1,6}┃ +Allow once +Allow always +Reject\b/,
  /^ {1,6}┃.*(?:⇆|↑↓) (?:select|tab)\b/,
  /^ {1,6}┃.*\benter (?:confirm|submit|toggle)\b/,
  /^ {1,6}┃.*\besc (?:cancel|dismiss)\b/,
]

/**
 * The screen of opencode (1.18.33). A dialog takes the place of the composer at the bottom, so an agent's own
 * text, which is above the composer, is never taken for one. The title does not show the state.
 */
export const screenRules: readonly ScreenRule[] = [
  {
    // opencode itself leaves the first column free.
    name: 'a shell that writes over what it left',
    shows: 'finished',
    priority: 110,
    region: { last: 5 },
    any: [/^[^\s█▀▄]/],
    also: [{ region: { last: 12 }, any: [UNDER_COMPOSER, ...DIALOG_KEYS] }],
  },
  {
    name: 'a dialog',
    shows: 'dialog',
    priority: 100,
    region: { last: 4 },
    any: DIALOG_KEYS,
    also: [{ region: { last: 1 }, all: [BAR] }],
    unless: [COMPOSER],
    ask: {
      from: [/^ {1,6}┃ {2}△ /],
      below: [/^\s*▣ /],
      drop: [BAR, ...DIALOG_KEYS.slice(0, 3)],
    },
    labels: [{ label: 'permission', any: [/^\s*△ /] }],
  },
  {
    name: 'esc interrupt',
    shows: 'working',
    priority: 90,
    region: STATE,
    any: [INTERRUPT, SPINNER, /\[retrying .*attempt #\d+\]/],
    also: [COMPOSER],
  },
  {
    // A failed turn has no time at its end.
    name: 'an error above the composer',
    shows: 'failed',
    priority: 80,
    region: LAST_BLOCK,
    all: [TURN],
    every: [BAR_TEXT, BAR, TURN, SIDEBAR],
    none: [/^\s+▣ {2}\S.* · (?:\d|interrupted)/],
    also: [COMPOSER],
    ask: { mark: UNDER_COMPOSER, from: [/^ {1,6}┃ {2}(?!.* · )\S/], until: BAR },
  },
  {
    name: 'an interrupted turn',
    shows: 'idle',
    priority: 75,
    region: [{ before: EMPTY_COMPOSER }, { from: [TURN] }, { first: 1 }],
    all: [/ · interrupted(?:\s|$)/],
    also: [COMPOSER],
    unless: [{ region: LAST_BLOCK, every: [BAR_TEXT, BAR, SIDEBAR] }],
    labels: [{ label: 'interrupted' }],
  },
  {
    // A prompt that was just entered stands there alone, before the screen shows that work has begun.
    name: 'an idle composer',
    shows: 'idle',
    priority: 70,
    also: [COMPOSER],
    unless: [{ region: LAST_BLOCK, every: [BAR_TEXT, BAR, SIDEBAR] }],
    ask: LAST_WORDS,
    labels: [{ label: 'finished' }],
  },
]
