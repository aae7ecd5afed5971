import type { Screen } from '../../core/screen/screen.ts'
import { matchScreen } from '../../core/screen/screen-match.ts'
import type { ComposerSight } from '../../core/supervisor/trigger/composer.ts'
import { draftOf, inTheWay, isCursorAtStart, isCursorIn, none } from '../screen/composer-parts.ts'
import { screenRules } from './screen.ts'

const PROMPT = /^›(?: |$)/
const DRAFT = /^(?: {2}|$)/
const COLUMN = 2
/** The model and the directory; unknown during a start that may still end in a dialog. */
const STATUS = /^ {2}\S.* · \S/
/** Below the composer, and only while nothing is typed; otherwise there is at most something at the right. */
const SHORTCUTS = /^ {2}\? for shortcuts(?:\s{3,}|$)/
const AT_THE_RIGHT = /^\s{20,}\S/

/**
 * The composer of Codex (0.166.0): two empty lines above it, one below it, then the status line. The same
 * composer is there while it starts and while it works.
 */
export function composer(screen: Screen): ComposerSight {
  const { lines, cursor, title } = screen
  const blocked = inTheWay(screenRules, screen)
  if (blocked) return blocked
  const end = lines.at(-1) ?? ''
  const hasFooter = !STATUS.test(end) || SHORTCUTS.test(end)
  const footer = hasFooter ? end : ''
  const status = lines.length - (hasFooter ? 2 : 1)
  if (!STATUS.test(lines[status] ?? '')) return none('no status line')
  const first = lines.slice(0, status).findLastIndex((line) => PROMPT.test(line))
  const isDraft = lines.slice(first + 1, status - 1).every((line) => DRAFT.test(line))
  if (first === -1 || lines[status - 1] !== '' || !isDraft) return none('no composer')
  const rows = { first, last: status - 2, column: COLUMN }
  if (!isCursorIn(rows, cursor)) return none('the cursor is elsewhere')
  if (lines[first - 1] !== '' || lines[first - 2] !== '') return none('a list above the composer')
  // This is neither the end nor the start of a turn: only the title can show that no answer is coming in.
  if (title === '' && !matchScreen(screenRules, screen)) return none('no title')
  if (SHORTCUTS.test(footer)) {
    return isCursorAtStart(rows, cursor) ? { kind: 'empty' } : none('the cursor is elsewhere')
  }
  if (footer !== '' && !AT_THE_RIGHT.test(footer)) return none('something else under the composer')
  const draft = lines.slice(first, status - 1).map((line) => line.slice(COLUMN))
  return draftOf(draft, rows, cursor)
}
