import type { AskCut, ScreenRule } from '../../core/screen/screen-rule.ts'

/** The name of these rules, in place of a harness. */
export const GENERIC = 'generic'

const LAST_LINE = { last: 1 }

/** A command typed at a shell: everything after it is the program's output. */
const SHELL_COMMAND = /^(?:\S.{0,120})?[$%#❯➜] (?!\d{1,2}[.)])\S/
const SAID: AskCut = { from: [SHELL_COMMAND], last: 12 }
const ASKED: AskCut = { ...SAID, isLastFirst: true }

const YES_NO =
  /[[(]\s?(?:y(?:es)?\s?[/|,]\s?no?|no?\s?[/|,]\s?y(?:es)?)(?:\s?[/|,]\s?\[?[^\s/|,[\]()]{1,20}\]?){0,12}\s?[\])]\s?[?:>]?$/i
const BARE_YES_NO = /\b(?:y\/n|yes\/no)\s?[?:>]?$/i

const ANY_KEY = /\b(?:press|hit|strike)\s(?:any|a)\skey\b.{0,60}$/i
const ENTER_KEY =
  /\b(?:press|hit|type)\s.{0,20}\b(?:enter|return|space(?:bar)?)\b.{0,20}\bto\s(?:continue|proceed|confirm|accept|begin|start)\b.{0,30}$/i

const PAGER = [
  /^--More--(?:\(\d{1,3}%\))?$/i,
  /^:$/,
  /\(END\)$/,
  /\(press h for help or q to quit\)$/,
  /^lines \d+-\d+(?:\/\d+)?(?: \d{1,3}%)?$/,
]

/** An empty prompt of a program that reads one expression after the other. */
const REPL = [
  /^(?:>>>|\.\.\.|>|\s*->|\s*\.\.\.>)$/,
  /^(?:In \[\d+\]| {3,}\.\.\.):$/,
  /^(?:irb|pry)(?:\([^)]{0,60}\))?(?::\d+(?::\d+)?)?[>*"']$/,
  /^(?:mysql|sqlite|ghci|scala|jshell|julia|lua|node|deno|ftp|sftp|telnet|ipdb|php|mongosh|gnuplot|octave)(?::\d+)?>$/i,
  /^(?:MariaDB \[[^\]]{1,60}\]|iex\(\d+\)|\S{1,60}:\d{1,5}(?:\[\d+\])?)>$/,
  /^\((?:gdb|lldb|Pdb|Pdb\+\+|rdb:\d+|dlv|delve)\)$/i,
  /^[\w.-]{1,60}[=('"!^*-][#>]$/,
]
const REPL_INPUT =
  /^(?:>>>|>|In \[\d+\]:|irb\S{0,40}>|mysql>|sqlite>|\((?:gdb|lldb|Pdb)\)|[\w.-]{1,60}=[#>]) \S/i

/** A growing percentage at the end of a line is no zsh prompt. */
const SHELL = [
  /^(?:\S.{0,120})?[$❯➜λ]$/,
  /^(?:\S.{0,120})?(?<!\d\s?)[%#]$/,
  /^➜ {1,2}\S{1,60}(?: git:\(\S{1,80}\)(?: ✗)?)?$/,
  /^(?:PS \S.{0,120}|\S{1,60}@\S{1,60} \S{1,120})>$/,
]

/** What programs print, ending with a colon, before they continue on the same line. */
const PROGRESS =
  /^\s*(?:remote|resolving|receiving|counting|compressing|writing|reading|downloading|downloaded|uploading|unpacking|extracting|fetching|progress|building|compiling|installing|checking|running|waiting|error|warning|info|note)\b/i

const MENU_QUESTION = /^\s*(?:\?|◆|\[\?\]) {1,2}\S/
const MENU_MARK = /^\s*(?:[│┃]\s+)?[❯›▸▶➜>●◉◼☑] *\S/
const MENU_CHOICE = /^(?: {2,}\S|\s*[│┃└╰❯›▸▶➜>●○◉◯◼◻☑☐])/

/**
 * For any watched program. Its output ends with a line break; when it asks, the cursor stands behind the
 * question. So the cursor is the strongest sign, and text alone is hardly ever one.
 */
export const genericScreenRules: readonly ScreenRule[] = [
  {
    name: 'a prompt for a password',
    shows: 'dialog',
    priority: 90,
    cursor: 'end',
    region: LAST_LINE,
    all: [/\b(?:password|passphrase|passcode|PIN|OTP|one-time code|verification code)\b.{0,80}:$/i],
    ask: { ...ASKED, last: 4 },
  },
  {
    name: 'a question to be answered with yes or no',
    shows: 'dialog',
    priority: 85,
    signal: 'question',
    cursor: 'end',
    region: LAST_LINE,
    any: [YES_NO, BARE_YES_NO],
    ask: ASKED,
  },
  {
    name: 'a wait for a key',
    shows: 'dialog',
    priority: 80,
    signal: 'question',
    region: LAST_LINE,
    any: [ANY_KEY, ENTER_KEY],
    ask: SAID,
  },
  {
    name: 'a pager',
    shows: 'dialog',
    priority: 75,
    cursor: 'end',
    region: LAST_LINE,
    any: PAGER,
    ask: { last: 12 },
    labels: [{ label: 'waits' }],
  },
  {
    name: 'a menu',
    shows: 'dialog',
    priority: 70,
    signal: 'question',
    cursor: 'hidden',
    region: [{ last: 25 }, { after: MENU_QUESTION }],
    all: [MENU_MARK],
    every: [MENU_CHOICE],
    ask: { from: [MENU_QUESTION] },
  },
  {
    name: 'a numbered menu',
    shows: 'dialog',
    priority: 68,
    signal: 'question',
    region: [
      { last: 15 },
      { from: /^\s*(?:[│┃]\s*)?[❯›▸▶➜●◉]\s*(?:\d{1,2}[.)]|\[\d{1,2}\])\s+\S/ },
    ],
    every: [
      /^\s*(?:[│┃]\s*)?(?:[❯›▸▶➜●◉○◯]\s*)?(?:\d{1,2}[.)]|\[\d{1,2}\])\s+\S/,
      /\b(?:enter|return|esc|arrows?|↑|↓|ctrl|tab|space)\b|[↑↓]/i,
      /^[\s│┃╰└╯┘─━]*$/,
    ],
    also: [
      {
        region: { last: 15 },
        all: [/^\s*(?:[│┃]\s*)?(?:[○◯]\s*)?(?:\d{1,2}[.)]|\[\d{1,2}\])\s+\S/],
      },
    ],
    ask: SAID,
  },
  {
    name: 'a question',
    shows: 'dialog',
    priority: 65,
    signal: 'question',
    cursor: 'end',
    region: LAST_LINE,
    all: [/\?$/],
    ask: ASKED,
  },
  {
    name: 'a prompt of a REPL',
    shows: 'idle',
    priority: 60,
    cursor: 'end',
    region: LAST_LINE,
    any: REPL,
    ask: { from: [REPL_INPUT], last: 12 },
  },
  {
    name: 'a shell prompt',
    shows: 'finished',
    priority: 55,
    cursor: 'end',
    region: LAST_LINE,
    any: SHELL,
    ask: SAID,
  },
  {
    name: 'a prompt for a value',
    shows: 'dialog',
    priority: 50,
    signal: 'question',
    cursor: 'end',
    region: LAST_LINE,
    any: [
      /^[\w?*[(].{0,120}:(?: ?[([][^()[\]]{0,80}[)\]])?$/,
      /^[\w?*].{0,120}[([][^()[\]]{1,80}[)\]]:$/,
    ],
    none: [PROGRESS],
    ask: ASKED,
  },
  {
    name: 'a prompt with a value to change',
    shows: 'dialog',
    priority: 45,
    signal: 'question',
    cursor: 'shown',
    region: LAST_LINE,
    all: [/^\s*(?:\?|◆|\[\?\]) .{1,120}[›»:…]/],
    ask: ASKED,
  },
]
