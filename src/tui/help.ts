import { type Model, selectedEntry } from './model.ts'
import { paintLine, type Span } from './style.ts'

const KEYS: [keys: string, text: string][] = [
  ['↑ ↓  j k', 'move'],
  ['g G', 'first, last'],
  ['Enter', 'jump to the pane'],
  ['1 … 9', 'jump to that one at once'],
  ['s', 'skip: to the tail, and cool down'],
  ['/', 'filter by project, harness, reason, ask'],
  ['J K', 'scroll the ask (PgUp, PgDn: by page)'],
  ['q  Esc', 'close'],
]

const TRIGGER_KEYS: typeof KEYS = [
  ['r', 'send the trigger that failed once more'],
  ['x', 'let it be'],
]

export function helpLines(model: Model): string[] {
  const keys = selectedEntry(model)?.trigger === undefined ? KEYS : [...KEYS, ...TRIGGER_KEYS]
  const isRoomy = model.size.rows >= keys.length + 6
  const rows = keys.map(([keys, text]): Span[] => [
    ['key', `  ${keys.padEnd(10)}`],
    ['plain', text],
  ])
  const about: Span[] = [['dim', '  Oldest first. Dim ones cool down after a skip.']]
  const lines = isRoomy ? [[], ...rows, [], about] : rows
  return lines.map((spans) => paintLine(spans, model.size.columns, model.color))
}
