import { paintLine, type Span } from '../../text/spans.ts'
import { wrap } from '../../text/wrap.ts'
import type { Model } from '../model/model.ts'
import { bodyRowsOf } from './layout.ts'

const KEYS: [keys: string, text: string][] = [
  ['↑ ↓  j k', 'move (g G: first, last)'],
  ['Enter 1-9', 'jump to the pane, or to that one'],
  ['s', 'skip: to the tail, and cool down'],
  ['z', 'snooze: skip until a time you choose'],
  ['d  D', 'dismiss it (D: even if it asks)'],
  ['u', 'undo the last of these'],
  ['/', 'filter by project, branch, title, ask'],
  ['J K', 'scroll the ask (PgUp, PgDn: by page)'],
  ['r', 'a failed trigger: send it once more'],
  ['x', 'a failed trigger: dismiss it'],
  ['y n', 'a program asks: allow it, deny it'],
  ['m M', 'reply (M: in your editor), if turned on'],
  ['q  Esc', 'close'],
]
const ABOUT = 'Oldest first. Dim ones cool down after a skip.'
const TEXT_COLUMN = 12

/** As many of its lines as fit, from the current scroll position. */
export function helpLines(model: Model): string[] {
  const lines = allLines(model).slice(model.helpTop, model.helpTop + bodyRowsOf(model.size))
  return lines.map((spans) => paintLine(spans, model.size.columns, model.color))
}

export function maxHelpTop(model: Model): number {
  return Math.max(0, allLines(model).length - bodyRowsOf(model.size))
}

/** Without empty lines if they would push something off the screen. */
function allLines({ size }: Model): Span[][] {
  const columns = Math.max(10, size.columns - TEXT_COLUMN - 1)
  const keys = KEYS.flatMap(([key, text]) =>
    wrap(text, columns).map((line, index): Span[] => [
      ['key', (index === 0 ? `  ${key}` : '').padEnd(TEXT_COLUMN)],
      ['plain', line],
    ]),
  )
  const about = wrap(ABOUT, Math.max(10, size.columns - 3)).map((line): Span[] => [
    ['dim', `  ${line}`],
  ])
  const roomy = [[], ...keys, [], ...about]
  return roomy.length <= bodyRowsOf(size) ? roomy : [...keys, ...about]
}
