import { displayText } from '../core/text.ts'
import type { Ink, Span } from '../text/spans.ts'

/**
 * The lines of a screen that tmux captured with its colours. Text from a pane is hostile, so we read only
 * the numbers of known colours and attributes, and write the sequences ourselves.
 */
export function coloredLines(screen: string): Span[][] {
  const lines: Span[][] = [[]]
  let pen = PLAIN
  let isLineDrawing = false
  for (const [, parameters, shift, text] of screen.matchAll(PARTS)) {
    if (parameters !== undefined) pen = penAfter(pen, parameters)
    else if (shift !== undefined) isLineDrawing = shift === SHIFT_OUT
    else if (text !== undefined) {
      const shown = displayText(isLineDrawing ? drawn(text) : text)
      for (const [index, piece] of shown.split('\n').entries()) {
        if (index > 0) lines.push([])
        if (piece) append(lines.at(-1) ?? [], pen, piece)
      }
    }
  }
  return lines.map(withoutBlankEnd)
}

const SHIFT_OUT = '\u000e'
const PARTS =
  /\u001b\[([0-9;:]*)m|([\u000e\u000f])|((?:[^\u001b\u000e\u000f]+|(?!\u001b\[[0-9;:]*m)\u001b)+)/g

type Attribute = 1 | 2 | 3 | 4 | 7 | 9
type Pen = { attributes: readonly Attribute[]; foreground: string; background: string }

const PLAIN: Pen = { attributes: [], foreground: '', background: '' }

/** Excludes blinking and hidden text. */
const ATTRIBUTES: ReadonlySet<number> = new Set<Attribute>([1, 2, 3, 4, 7, 9])
const OFF: ReadonlyMap<number, readonly Attribute[]> = new Map([
  [22, [1, 2]],
  [23, [3]],
  [24, [4]],
  [27, [7]],
  [29, [9]],
])

function penAfter(before: Pen, parameters: string): Pen {
  let pen = before
  const fields = parameters.split(';')
  for (let at = 0; at < fields.length; at++) {
    const [code = 0, ...own] = (fields[at] ?? '').split(':').map(Number)
    if (code === 38 || code === 48 || code === 58) {
      const rest = own.length > 0 ? own : fields.slice(at + 1).map(Number)
      const [color, taken] = colorIn(rest, own.length > 0)
      if (own.length === 0) at += taken
      if (color && code === 38) pen = { ...pen, foreground: `38;${color}` }
      if (color && code === 48) pen = { ...pen, background: `48;${color}` }
    } else pen = penWith(pen, code, own[0])
  }
  return pen
}

function penWith(pen: Pen, code: number, variant: number | undefined): Pen {
  if (code === 0) return PLAIN
  const off = OFF.get(code) ?? (code === 4 && variant === 0 ? [4] : undefined)
  if (off) return { ...pen, attributes: pen.attributes.filter((one) => !off.includes(one)) }
  if (isAttribute(code)) {
    const others = pen.attributes.filter((one) => one !== code)
    return { ...pen, attributes: [...others, code].toSorted((a, b) => a - b) }
  }
  if (isBetween(code, 30, 37) || isBetween(code, 90, 97)) return { ...pen, foreground: `${code}` }
  if (isBetween(code, 40, 47) || isBetween(code, 100, 107)) return { ...pen, background: `${code}` }
  if (code === 39) return { ...pen, foreground: '' }
  if (code === 49) return { ...pen, background: '' }
  return pen
}

/** One of 256 colours, or red, green and blue; and how many numbers that took. */
function colorIn(numbers: readonly number[], hasSpace: boolean): [string | undefined, number] {
  const [kind, ...rest] = numbers
  const isByte = (value: number | undefined) =>
    Number.isInteger(value) && isBetween(value ?? -1, 0, 255)
  if (kind === 5) return [isByte(rest[0]) ? `5;${rest[0]}` : undefined, 2]
  if (kind !== 2) return [undefined, 1]
  // With colons, the number of a colour space may precede the three.
  const channels = hasSpace && rest.length > 3 ? rest.slice(1, 4) : rest.slice(0, 3)
  const isWhole = channels.length === 3 && channels.every(isByte)
  return [isWhole ? `2;${channels.join(';')}` : undefined, 4]
}

function isAttribute(code: number): code is Attribute {
  return ATTRIBUTES.has(code)
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most
}

/** A combining character stays with the one before it, whatever its colour. */
function append(line: Span[], pen: Pen, text: string): void {
  const last = line.at(-1)
  const ink = inkOf(pen)
  const isJoined = last && (JOINED_START.test(text) || JOINING_END.test(last[1]))
  if (last && (isJoined || last[0] === ink)) last[1] += text
  else line.push([ink, text])
}

const JOINED_START =
  /^(?:[\p{M}\p{Grapheme_Extend}\p{Emoji_Modifier}\p{Regional_Indicator}\u1160-\u11ff]|\u200d)/u
const JOINING_END =
  /(?:[\p{M}\p{Regional_Indicator}\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u1100-\u115f]|\u200d)$/u

const inks = new Map<string, Ink>()

function inkOf({ attributes, foreground, background }: Pen): Ink {
  const mono = attributes.join(';')
  const color = [mono, foreground, background].filter(Boolean).join(';')
  const known = inks.get(color)
  if (known) return known
  // A picture in a pane may have thousands of them.
  if (inks.size > 500) inks.clear()
  const ink = { color, mono }
  inks.set(color, ink)
  return ink
}

function withoutBlankEnd(line: Span[]): Span[] {
  const kept = line.slice(
    0,
    line.findLastIndex(([ink, text]) => text.trim() !== '' || isFilled(ink)) + 1,
  )
  const last = kept.at(-1)
  return last && !isFilled(last[0]) ? [...kept.slice(0, -1), [last[0], last[1].trimEnd()]] : kept
}

/** Whether a blank in it is visible. */
function isFilled(ink: Span[0]): boolean {
  return typeof ink === 'object' && /(?:^|;)(?:7|4[0-8]|10[0-7])(?:;|$)/.test(ink.color)
}

/** DEC's line drawing, as tmux keeps it. */
const LINES: Readonly<Record<string, string>> = {
  ...{ a: '▒', j: '┘', k: '┐', l: '┌', m: '└', n: '┼', q: '─' },
  ...{ t: '├', u: '┤', v: '┴', w: '┬', x: '│', '~': '·' },
}

function drawn(text: string): string {
  return text.replace(/[a-x~]/g, (letter) => LINES[letter] ?? letter)
}
