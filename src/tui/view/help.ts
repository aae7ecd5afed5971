import { paintLine, type Span } from '../../text/spans.ts'
import { wrap } from '../../text/wrap.ts'
import type { Model } from '../model/model.ts'
import { bodyRowsOf } from './layout.ts'

const KEYS: [keys: string, text: string][] = [
  ['↑ ↓  j k', 'move'],
  ['g G', 'first, last'],
  ['Enter', 'jump to the pane'],
  ['1 … 9', 'jump to that one at once'],
  ['s', 'skip: to the tail, and cool down'],
  ['/', 'filter by project, harness, label, ask'],
  ['J K', 'scroll the ask (PgUp, PgDn: by page)'],
  ['r', 'a failed trigger: send it once more'],
  ['x', 'a failed trigger: dismiss it'],
  ['y n', 'a program asks to use a tool: allow it, deny it'],
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
