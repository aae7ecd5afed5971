import { type Ink, paintLine, type Span } from '../text/spans.ts'

export const ASK: Ink = { color: '1;33', mono: '1' }
export const KEY: Ink = { color: '1;32', mono: '1' }
export const WORK: Ink = { color: '36', mono: '' }

/** Replaces what the pane shows, without flicker. */
export function redraw(lines: readonly string[]): void {
  const screen = lines.map((line) => `${line}\u001b[K`).join('\r\n')
  process.stdout.write(`\u001b[?25l\u001b[H${screen}\u001b[J`)
}

export function paintLines(lines: readonly Span[][], columns: number): string[] {
  return lines.map((spans) => paintLine(spans, columns, true).trimEnd())
}

export function terminalSize(): { columns: number; rows: number } {
  return { columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 }
}

/** `C-b` as it is written on a keyboard. */
export function keyLabel(prefix: string): string {
  return prefix.replace(/^C-/, 'Ctrl-')
}
