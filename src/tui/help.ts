import type { Model } from './model.ts'
import { paintLine, type Span } from './style.ts'

const KEYS: [keys: string, text: string][] = [
  ['↑ ↓  j k', 'move'],
  ['g G', 'first, last'],
  ['Enter', 'jump to the pane'],
  ['1 … 9', 'jump to that one at once'],
  ['s', 'skip: to the tail, and cool down'],
  ['/', 'filter by project, harness, label, ask'],
  ['J K', 'scroll the ask (PgUp, PgDn: by page)'],
  ['r', 'a failed trigger: send it once more'],
  ['x', 'a failed trigger: let it be'],
  ['q  Esc', 'close'],
]

export function helpLines(model: Model): string[] {
  const isRoomy = model.size.rows >= KEYS.length + 6
  const rows = KEYS.map(([keys, text]): Span[] => [
    ['key', `  ${keys.padEnd(10)}`],
    ['plain', text],
  ])
  const about: Span[] = [['dim', '  Oldest first. Dim ones cool down after a skip.']]
  const lines = isRoomy ? [[], ...rows, [], about] : rows
  return lines.map((spans) => paintLine(spans, model.size.columns, model.color))
}
