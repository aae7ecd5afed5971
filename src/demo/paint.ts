type Style = 'plain' | 'strong' | 'dim' | 'ask' | 'work' | 'key'
export type Span = readonly [Style, string]

/** One line of the screen, cut to its width. */
export function paint(spans: readonly Span[], columns: number): string {
  let left = columns
  let line = ''
  for (const [style, text] of spans) {
    const shown = [...text].slice(0, Math.max(0, left)).join('')
    left -= [...shown].length
    line += style === 'plain' || shown === '' ? shown : `${SGR[style]}${shown}\u001b[0m`
  }
  return line
}

/** Lines that replace what the pane shows, without a flicker in between. */
export function redraw(lines: readonly string[]): void {
  const screen = lines.map((line) => `${line}\u001b[K`).join('\r\n')
  process.stdout.write(`\u001b[?25l\u001b[H${screen}\u001b[J`)
}

export function terminalSize(): { columns: number; rows: number } {
  return { columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 }
}

/** `C-b` as it is written on a keyboard. */
export function keyLabel(prefix: string): string {
  return prefix.replace(/^C-/, 'Ctrl-')
}

const SGR: Record<Exclude<Style, 'plain'>, string> = {
  strong: '\u001b[1m',
  dim: '\u001b[2m',
  ask: '\u001b[1;33m',
  work: '\u001b[36m',
  key: '\u001b[1;32m',
}
