import type { Screen } from '../../core/monitor/screen.ts'
import type { ComposerSight } from '../../core/supervisor/composer.ts'
import {
  type ComposerRows,
  draftOf,
  inTheWay,
  isCursorAtStart,
  isCursorIn,
  none,
} from '../composer-parts.ts'
import { screenRules } from './screen.ts'

const RULE = /^─{20,}$/
const TOP = /^▄{20,}$/
const BOTTOM = /^▀{20,}$/
/** Also the one of the mode that approves everything; `!` is a shell, `(r:)` a search. */
const PROMPT = /^ [>*] /
const COLUMN = 3
const FOOTER = /^ workspace \(\/directory\)/
/** The first cell is left to the cursor. */
const PLACEHOLDER = /^ {2}Type your message or @path\/to\/file$/
/** Above the rule: what is pressed next would be taken for something else. */
const HELP = /^ (?:Shortcuts See \/help|Press \S+ again to )/
const SHORTCUTS = /^\s*\? for shortcuts$/

/**
 * The composer of Gemini CLI (0.61.0): between two rows of blocks, under a rule and a line about the mode.
 * A picker comes between it and the footer.
 */
export function composer(screen: Screen): ComposerSight {
  const { lines, cursor } = screen
  const blocked = inTheWay(screenRules, screen)
  if (blocked) return blocked
  const bottom = lines.findLastIndex((line) => BOTTOM.test(line))
  const top = lines.slice(0, Math.max(bottom, 0)).findLastIndex((line) => TOP.test(line))
  const isComposer = top >= 2 && RULE.test(lines[top - 2] ?? '')
  if (!isComposer || !PROMPT.test(lines[top + 1] ?? '')) return none('no composer')
  const rows: ComposerRows = { first: top + 1, last: bottom - 1, column: COLUMN }
  if (!isCursorIn(rows, cursor)) return none('the cursor is elsewhere')
  const under = lines[bottom + 1]
  if (under !== undefined && !FOOTER.test(under)) return none('a list under the composer')
  const above = lines.slice(0, top - 2)
  if (above.slice(-8).some((line) => HELP.test(line))) return none('help above the composer')
  // It takes no keys before it has drawn what is above.
  if (above.every((line) => line === '' || SHORTCUTS.test(line))) return none('it starts')
  const draft = lines.slice(rows.first, bottom).map((line) => line.slice(COLUMN))
  return draftOf(draft, (text) => isCursorAtStart(rows, cursor) && PLACEHOLDER.test(text))
}
