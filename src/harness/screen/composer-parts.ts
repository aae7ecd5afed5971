import type { Cursor, Screen } from '../../core/screen/screen.ts'
import { matchScreen } from '../../core/screen/screen-match.ts'
import type { ScreenRule, Shows } from '../../core/screen/screen-rule.ts'
import type { ComposerSight } from '../../core/supervisor/trigger/composer.ts'

/** The rows of a composer: its first and its last line, and the column where its text begins. */
type ComposerRows = { first: number; last: number; column: number }

export function none(why: string): ComposerSight {
  return { kind: 'none', why }
}

/** What the screen rules see that makes typing unsafe, if anything. */
export function inTheWay(rules: readonly ScreenRule[], screen: Screen): ComposerSight | undefined {
  const sight = matchScreen(rules, screen)
  return sight && IN_THE_WAY.has(sight.shows) ? none(`${sight.shows}: ${sight.rule}`) : undefined
}

const IN_THE_WAY = new Set<Shows>(['dialog', 'working', 'finished'])

/** If the cursor is elsewhere, something else takes the keys. */
export function isCursorIn({ first, last, column }: ComposerRows, cursor: Cursor | undefined) {
  if (!cursor) return false
  return cursor.y >= first && cursor.y <= last && cursor.x >= column
}

export function isCursorAtStart({ first, column }: ComposerRows, cursor: Cursor | undefined) {
  return cursor?.y === first && cursor.x === column
}

/** The lines of a draft, without what is drawn beside them. A placeholder with the cursor at its start is not a draft. */
export function draftOf(
  lines: readonly string[],
  rows: ComposerRows,
  cursor: Cursor | undefined,
  placeholder?: RegExp,
): ComposerSight {
  const text = lines.map((line) => line.trimEnd()).join('\n')
  const isPlaceholder = isCursorAtStart(rows, cursor) && placeholder?.test(text)
  return text.trim() === '' || isPlaceholder ? { kind: 'empty' } : { kind: 'text', text }
}
