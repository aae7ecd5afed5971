import type { AskCut, ScreenPart, ScreenRule } from '../../core/screen/screen-rule.ts'

/** Only these appear in the first column of the screen: an agent's own text is indented. */
const COMPOSER = /^›(?: |$)/
const SAID = /^• /
const NOTICE = /^■ /
/** Also above the composer, when a turn is over. */
const WORKED = /^ {2}Worked for \S.{0,40} • \d\d?:\d\d/
const STATUS =
  /^[•◦] (?:\S.{0,200}\((?:\d+[hms] ?){1,3} • esc to interrupt\)|Reconnecting to server)/

const SPINNER = /^[\u2801-\u28ff] /

/** The keys at the bottom of a dialog, which replaces the composer and everything below it. */
const KEYS =
  /^\s*(?:(?:[\w↑↓←→/^+-]+ (?:to )?[\w ]+ [·|] )*(?:press )?enter (?:to )?(?:confirm|continue|select|submit|review|choose|accept|apply|save)\b.{0,120})$/i
const MARKED = /^ {0,4}[›>] \S/

const HEAD = /^[•◦■›✔✗⚠] /
const ABOVE_COMPOSER = { before: COMPOSER }
const LAST_HEAD = [ABOVE_COMPOSER, { from: HEAD }, { first: 1 }] as const

/** An agent's own text would continue below it; only Codex's own lines may. */
const OVER: ScreenPart = {
  region: [ABOVE_COMPOSER, { after: WORKED }, { first: 1 }],
  none: [/^\s+(?!\d+ background terminal)/],
}
const SINCE_THEN: ScreenPart = {
  region: [ABOVE_COMPOSER, { from: WORKED }],
  none: [COMPOSER, STATUS],
}

const LAST_WORDS: AskCut = { mark: COMPOSER, from: [SAID], until: WORKED }
const LAST_NOTICE: AskCut = { mark: COMPOSER, from: [NOTICE], until: /^(?:›|\s*$)/ }

/**
 * The screen of Codex (0.166.0). A dialog takes the composer's place at the bottom, so an agent's own text,
 * which is above the composer, is never taken for one. The title says the same as the screen; while an answer
 * comes in, only the title shows that work continues.
 */
export const screenRules: readonly ScreenRule[] = [
  {
    name: 'a dialog with its keys',
    shows: 'dialog',
    priority: 100,
    // A narrow pane folds them.
    region: { last: 2 },
    all: [KEYS],
    also: [{ region: { last: 40 }, all: [MARKED] }],
    ask: { mark: MARKED, below: [/^(?:[•◦■›✔✗⚠] | {2}Worked for | {2,}\+ Show details$)/] },
    labels: [{ label: 'permission', any: [/^\s*Would you like to \w/] }],
  },
  {
    // A killed Codex leaves its screen, and the shell writes where the cursor was.
    name: 'a shell that has come back over it',
    shows: 'finished',
    priority: 95,
    region: [{ last: 8 }, { after: COMPOSER }],
    all: [/^ {3,}(?:\S.{0,120})?[$#%❯]$/],
    cursor: 'shown',
  },
  {
    name: 'the end of a turn',
    shows: 'idle',
    priority: 90,
    ...OVER,
    also: [SINCE_THEN],
    ask: LAST_WORDS,
    labels: [{ label: 'finished' }],
  },
  {
    name: 'the line of its work',
    shows: 'working',
    priority: 80,
    region: LAST_HEAD,
    all: [STATUS],
  },
  {
    name: 'a title with a spinner',
    shows: 'working',
    priority: 70,
    title: { all: [SPINNER] },
    region: { last: 12 },
    all: [COMPOSER],
  },
  {
    name: 'an interrupted turn',
    shows: 'idle',
    priority: 60,
    region: LAST_HEAD,
    all: [/^■ Conversation interrupted\b/],
    ask: LAST_NOTICE,
    labels: [{ label: 'interrupted' }],
  },
  {
    name: 'an error',
    shows: 'failed',
    priority: 50,
    region: LAST_HEAD,
    all: [NOTICE],
    ask: LAST_NOTICE,
  },
  {
    name: 'the shell that it has left',
    shows: 'finished',
    priority: 40,
    region: { last: 8 },
    all: [/^To continue this session, run:$/, /^ {2}codex resume \S/],
    none: [COMPOSER],
  },
]
