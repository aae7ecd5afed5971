import type { Screen } from '../../core/screen/screen.ts'
import type { ComposerSight } from '../../core/supervisor/trigger/composer.ts'
import { draftOf, inTheWay, isCursorIn, none } from '../screen/composer-parts.ts'
import { screenRules } from './screen.ts'

const RULE = /^─{20,}/
const PROMPT = /^❯(?:\s|$)/
/** Its column is where the text begins. */
const COLUMN = 2
/** Under the composer: which mode it is in. */
const MODE = /^ {2}(?:[⏸⏵]+ \S.* on\b|\? for shortcuts)/
/** Replaces the mode for a few seconds, even while Claude Code works: it counts only where the paste still is. */
const FOLDED = /^ {2}paste again to expand$/
const FOLD = /\[Pasted text #\d+/
/** Right above the composer: nothing, a hint at the right, or one about tmux. A picker has no gap there. */
const HINT = /^(?:\s{20,}\S| {2}tmux detected · )/
/** Its end says how long it took, and has no ellipsis. */
const SPINNER = /^[✻✽✶✳✢·*] \S[^·(]*…/
const SUGGESTION = /^Try "[^\n]*"$/

/** The composer of Claude Code (2.1.325): between two rules, at the bottom, with the mode under it. */
export function composer(screen: Screen): ComposerSight {
  const { lines, cursor } = screen
  const blocked = inTheWay(screenRules, screen)
  if (blocked) return blocked
  const bottom = lines.findLastIndex((line) => RULE.test(line))
  const top = lines.slice(0, Math.max(bottom, 0)).findLastIndex((line) => RULE.test(line))
  if (top === -1 || !PROMPT.test(lines[top + 1] ?? '')) return none('no composer')
  const rows = { first: top + 1, last: bottom - 1, column: COLUMN }
  if (!isCursorIn(rows, cursor)) return none('the cursor is elsewhere')
  const above = lines[top - 1] ?? ''
  if (above !== '' && !HINT.test(above)) return none('a list above the composer')
  // On a narrow screen there is no room to say that it can be interrupted.
  if (SPINNER.test(lines.slice(0, top).findLast((line) => /^\S/.test(line)) ?? '')) {
    return none('working: a spinner above the composer')
  }
  const draft = lines.slice(rows.first, bottom).map((line) => line.slice(COLUMN))
  const isFold = draft.some((line) => FOLD.test(line))
  const isAtEase = (line: string) => MODE.test(line) || (isFold && FOLDED.test(line))
  if (!lines.slice(bottom + 1).some(isAtEase)) return none('something else under the composer')
  return draftOf(draft, rows, cursor, SUGGESTION)
}
