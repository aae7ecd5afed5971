import type { Terminal, TerminalListeners } from '../../../src/tui/terminal.ts'

export type FakeTerminal = Terminal & {
  closed: number
  frames: string[]
  listeners: TerminalListeners | undefined
}

/** Keeps what is drawn on it, without colours. */
export function fakeTerminal(): FakeTerminal {
  const frames: string[] = []
  return {
    color: false,
    closed: 0,
    frames,
    listeners: undefined,
    size: () => ({ columns: 80, rows: 24 }),
    listen(listeners: TerminalListeners) {
      this.listeners = listeners
    },
    draw(lines: string[]) {
      frames.push(lines.map((line) => line.replace(/\u001b\[[0-9;]*m/g, '')).join('\n'))
    },
    lend: (work) => work(),
    close() {
      this.closed++
    },
  }
}
