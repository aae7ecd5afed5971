import type { Screen } from '../../core/screen/screen.ts'
import type { ComposerSight } from '../../core/supervisor/trigger/composer.ts'
import { draftOf, inTheWay, isCursorIn, none } from '../screen/composer-parts.ts'
import { screenRules } from './screen.ts'

const RULE = /^─{20,}$/
const TOP = /^▄{20,}$/
const BOTTOM = /^▀{20,}$/
/** Includes the prompt of the mode that approves everything; `!` is a shell, `(r:)` a search. */
const PROMPT = /^ [>*] /
const COLUMN = 3
const FOOTER = /^ workspace\b/
/** The first cell belongs to the cursor. */
const PLACEHOLDER = /^ {2}Type your message or @path\/to\/file$/
/** Above the rule: the next key would mean something else. */
const HELP = /^ (?:Shortcuts See \/help|Press \S+ again to )/
const SHORTCUTS = /^\s*\? for shortcuts$/
/** Between the rule and the typed text are a line about the mode, and the top of the frame. */
const MOST_BETWEEN = 4

/**
 * The composer of Gemini CLI (0.61.0): below a rule and a line about the mode. With true colours it is between
 * two rows of blocks, without any colours between two more rules, otherwise between two empty lines. A picker
 * comes between it and the footer.
 */
export function composer(screen: Screen): ComposerSight {
  const { lines, cursor } = screen
  const blocked = inTheWay(screenRules, screen)
  if (blocked) return blocked
  const first = lines.findLastIndex((line) => PROMPT.test(line))
  const frame = frameAt(lines[first - 1])
  const rule = frame === undefined ? -1 : ruleAbove(lines, first - 1)
  const end = lines.findIndex((line, at) => at > first && frameAt(line) === frame)
  if (rule === -1 || end === -1) return none('no composer')
  const rows = { first, last: end - 1, column: COLUMN }
  if (!isCursorIn(rows, cursor)) return none('the cursor is elsewhere')
  const under = lines.slice(end + 1).find((line) => line !== '')
  if (under !== undefined && !FOOTER.test(under)) return none('a list under the composer')
  const above = lines.slice(0, rule)
  if (above.slice(-8).some((line) => HELP.test(line))) return none('help above the composer')
  // It takes no keys before it has drawn what is above.
  if (above.every((line) => line === '' || SHORTCUTS.test(line))) return none('it starts')
  const draft = lines.slice(rows.first, end).map((line) => line.slice(COLUMN))
  return draftOf(draft, rows, cursor, PLACEHOLDER)
}

/** The kind of frame in a line above or below the composer; undefined: none. */
function frameAt(line: string | undefined): 'blocks' | 'rules' | 'empty' | undefined {
  if (line === undefined) return undefined
  if (TOP.test(line) || BOTTOM.test(line)) return 'blocks'
  if (RULE.test(line)) return 'rules'
  return line === '' ? 'empty' : undefined
}

/** The row of the rule that separates it from the conversation, or -1. */
function ruleAbove(lines: readonly string[], top: number): number {
  const from = Math.max(0, top - MOST_BETWEEN)
  const at = lines.slice(from, top).findLastIndex((line) => RULE.test(line))
  return at === -1 ? -1 : from + at
}
