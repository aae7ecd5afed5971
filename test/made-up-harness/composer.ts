import type { Screen } from '../../src/core/screen/screen.ts'
import type { ComposerSight } from '../../src/core/supervisor/trigger/composer.ts'
import { draftOf, inTheWay, isCursorIn, none } from '../../src/harness/screen/composer-parts.ts'
import { screenRules } from './screen.ts'

const PROMPT = /^mule>(?: |$)/
const COLUMN = 6
const PLACEHOLDER = /^Load me up$/

/** From its prompt to the bottom of the screen. */
export function composer(screen: Screen): ComposerSight {
  const { lines, cursor } = screen
  const blocked = inTheWay(screenRules, screen)
  if (blocked) return blocked
  const first = lines.findLastIndex((line) => PROMPT.test(line))
  if (first === -1) return none('no composer')
  const rows = { first, last: lines.length - 1, column: COLUMN }
  if (!isCursorIn(rows, cursor)) return none('the cursor is elsewhere')
  const draft = lines.slice(first).map((line) => line.slice(COLUMN))
  return draftOf(draft, rows, cursor, PLACEHOLDER)
}
