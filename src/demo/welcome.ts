import type { Span } from '../text/spans.ts'
import { wrap } from '../text/wrap.ts'
import { Keyboard } from './keyboard.ts'
import { KEY, keyLabel, paintLines, redraw, terminalSize } from './terminal.ts'

/** The first window: what this is, the keys, and how to leave. */
export function runWelcome(prefix: string): void {
  const draw = () => redraw(welcomeLines(prefix, terminalSize().columns))
  // Raw mode, so that typing is not echoed into the text.
  new Keyboard(process.stdin)
  process.stdout.on('resize', draw)
  draw()
}

function welcomeLines(prefix: string, columns: number): string[] {
  const key = keyLabel(prefix)
  const width = Math.min(columns - 4, 76)
  const prose = (text: string, style: Span[0] = 'plain') =>
    wrap(text, width).map((line): Span[] => [[style, `  ${line}`]])
  const pressed = (name: string, text: string): Span[] => [
    [KEY, `    ${`${key} ${name}`.padEnd(12)}`],
    ['plain', text],
  ]
  const lines: Span[][] = [
    [],
    [['strong', '  Trail Boss: a herd to try it on']],
    [],
    ...prose(
      'Four scripted agents work in other windows here: api, web, docs and infra. Now and then one of them needs you, and the status line below counts those that do.',
    ),
    [],
    pressed('Tab', 'go to the one that has waited longest'),
    pressed('g', 'pick one from the list'),
    pressed('S', 'skip this one for now, go to the next'),
    pressed('B', 'go back to where you were, and forward again'),
    [],
    ...prose(
      `Start with ${key} Tab, answer what you are asked there, and press ${key} Tab again. Once answered, an agent goes on working and leaves the queue.`,
    ),
    [],
    ...prose(`Leave with ${key} d. All of this goes with you; your own tmux is untouched.`, 'dim'),
  ]
  return paintLines(lines, columns)
}
