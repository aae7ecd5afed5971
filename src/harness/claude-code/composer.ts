import type { Screen } from '../../core/screen/screen.ts'
import type { ComposerSight } from '../../core/supervisor/trigger/composer.ts'
import { draftOf, inTheWay, isCursorIn, none } from '../screen/composer-parts.ts'
import { screenRules } from './screen.ts'

const RULE = /^─{20,}/
const PROMPT = /^❯(?:\s|$)/
/** The column where the text begins. */
const COLUMN = 2
/** Below the composer: the current mode. */
const MODE = /^ {2}(?:[⏸⏵]+ \S.* on\b|\? for shortcuts)/
/** Replaces the mode for a few seconds, even while Claude Code works: it counts only if the paste is still there. */
const FOLDED = /^ {2}paste again to expand$/
const FOLD = /\[Pasted text #\d+/
/** Directly above the composer: nothing, a hint at the right, or one about tmux. A picker has no gap there. */
const HINT = /^(?:\s{20,}\S| {2}tmux detected · )/
/** When it ends, it shows how long it took and has no ellipsis. */
const SPINNER = /^[✻✽✶✳✢·*] \S[^·(]*…/
const SUGGESTION = /^Try "[^\n]*"$/

/** The composer of Claude Code (2.1.325): between two rules, at the bottom, with the mode below it. */
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
  // A narrow screen has no room for the hint on how to interrupt.
  if (SPINNER.test(lines.slice(0, top).findLast((line) => /^\S/.test(line)) ?? '')) {
    return none('working: a spinner above the composer')
  }
  const draft = lines.slice(rows.first, bottom).map((line) => line.slice(COLUMN))
  const isFold = draft.some((line) => FOLD.test(line))
  const isAtEase = (line: string) => MODE.test(line) || (isFold && FOLDED.test(line))
  if (!lines.slice(bottom + 1).some(isAtEase)) return none('something else under the composer')
  return draftOf(draft, rows, cursor, SUGGESTION)
}
