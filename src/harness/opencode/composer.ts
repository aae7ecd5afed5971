import type { Screen } from '../../core/screen/screen.ts'
import { matchScreen } from '../../core/screen/screen-match.ts'
import type { ComposerSight } from '../../core/supervisor/trigger/composer.ts'
import { draftOf, inTheWay, isCursorIn, none } from '../screen/composer-parts.ts'
import { screenRules } from './screen.ts'

const UNDER = /^( *)╹▀{10,}/
/** The agent and the model; in shell mode only the mode. */
const MODE = /^ {2}\S.* · \S/
const PLACEHOLDER = /^Ask anything… "[^\n]*"$/

/**
 * The composer of opencode (1.18.33): lines with a bar at their left, the last of which shows the mode. A
 * picker is directly above it, with a bar at its right as well; other dialogs are drawn over it and take the
 * cursor.
 */
export function composer(screen: Screen): ComposerSight {
  const { lines, cursor } = screen
  const blocked = inTheWay(screenRules, screen)
  if (blocked) return blocked
  const under = lines.findLastIndex((line) => UNDER.test(line))
  const [bar = '', indent = ''] = UNDER.exec(lines[under] ?? '') ?? []
  if (under === -1) return none('no composer')
  const barred = `${indent}┃`
  const top = lines.slice(0, under).findLastIndex((line) => !line.startsWith(barred)) + 1
  // The sidebar may be at its right.
  const inside = lines.slice(top, under).map((line) => line.slice(barred.length, bar.length))
  if (inside.some((line) => line.endsWith('┃'))) return none('a list above the composer')
  const isWhole = inside[0]?.trim() === '' && inside.at(-2)?.trim() === '' && inside.length > 3
  if (!isWhole || !MODE.test(inside.at(-1) ?? '')) return none('no composer for prompts')
  const column = barred.length + 2
  const rows = { first: top + 1, last: under - 3, column }
  if (!cursor?.visible || !isCursorIn(rows, cursor)) return none('the cursor is elsewhere')
  // Before there is a session, the composer is in the middle of the screen.
  const isHome = lines.length > under + 2
  const draft = inside.slice(1, -2).map((line) => line.slice(2))
  const sight = draftOf(draft, rows, cursor, PLACEHOLDER)
  if (isHome || matchScreen(screenRules, screen)) return sight
  // Work would begin at once, and move. A session that died in its turn and was resumed stays like this.
  const whenStill = { afterMs: 10_000, sight }
  return { kind: 'none', why: 'a prompt was just given', whenStill }
}
