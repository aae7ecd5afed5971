import type { WaitLabel } from '../core/session/wait-label.ts'
import { cut, widthOf } from './columns.ts'

export type Style = 'plain' | 'strong' | 'dim' | 'selected' | 'title' | WaitLabel | 'alert' | 'key'

/** The parameters of an escape sequence, with colour and without. */
export type Ink = { color: string; mono: string }

export type Span = [style: Style | Ink, text: string]

/** The terminal's own palette, so that it suits dark and light themes; only attributes without colour. */
const SGR: Record<Style, Ink> = {
  plain: { color: '', mono: '' },
  strong: { color: '1', mono: '1' },
  dim: { color: '2', mono: '2' },
  selected: { color: '7', mono: '7' },
  title: { color: '1;36', mono: '1' },
  asks: { color: '35', mono: '1' },
  permission: { color: '33', mono: '1' },
  finished: { color: '32', mono: '' },
  error: { color: '31', mono: '1' },
  interrupted: { color: '36', mono: '' },
  stalled: { color: '31', mono: '1' },
  waits: { color: '', mono: '' },
  alert: { color: '31', mono: '1' },
  key: { color: '1', mono: '1' },
}

/** One line of exactly `columns`: longer text is cut, shorter text padded with spaces. */
export function paintLine(spans: Span[], columns: number, color: boolean): string {
  let left = columns
  let line = ''
  for (const [style, text] of spans) {
    const kept = cut(text, left)
    left -= widthOf(kept)
    line += paint(style, kept, color)
  }
  return line + ' '.repeat(left)
}

/** The same with one style over the whole line. */
export function paintBar(style: Style, spans: Span[], columns: number, color: boolean): string {
  const text = cut(spans.map(([, part]) => part).join(''), columns)
  return paint(style, text + ' '.repeat(columns - widthOf(text)), color)
}

function paint(style: Style | Ink, text: string, color: boolean): string {
  const ink = typeof style === 'string' ? SGR[style] : style
  const code = color ? ink.color : ink.mono
  return code && text ? `\u001b[${code}m${text}\u001b[0m` : text
}
