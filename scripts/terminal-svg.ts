import stringWidth from 'string-width'

const COLUMN = 8.4
const ROW = 18
const MARGIN = 14
const TITLE_BAR = 38
const FONT_SIZE = 14
const BASELINE = 13.2

const BACKGROUND = '#1b1d20'
const FOREGROUND = '#d4d6d4'
const DIM = '#868c92'
const PALETTE = [
  ...['#303030', '#e06c60', '#7fb069', '#e0b04c', '#6f9fd8', '#b48ead', '#6fb3ad', '#d4d6d4'],
  ...['#6b7075', '#f08a7e', '#9bc987', '#f0c668', '#8fb8ea', '#cba6c3', '#8fd0c9', '#ffffff'],
]
const FONT = 'ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace'

type Pen = { color?: string; fill?: string; bold: boolean; dim: boolean; reverse: boolean }
type Cell = {
  text: string
  column: number
  width: number
  ink: string
  fill: string
  bold: boolean
}

/**
 * Draws a terminal's screen (`tmux capture-pane -e`) as a picture that looks the same in every renderer. Text
 * contains no spaces, since renderers differ in which ones they keep: each word has its own column, and box
 * characters are drawn as lines.
 */
export function terminalSvg(screen: string, columns: number, label: string): string {
  const rows = cellsOf(screen)
  const width = 2 * MARGIN + columns * COLUMN
  const height = TITLE_BAR + rows.length * ROW + MARGIN
  const size = `viewBox="0 0 ${round(width)} ${height}" width="${round(width)}" height="${height}"`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${xml(label)}">`,
    `<rect width="100%" height="100%" rx="9" fill="${BACKGROUND}"/>`,
    ...['#ec6a5e', '#f4bf4f', '#61c554'].map(
      (color, index) => `<circle cx="${20 + 18 * index}" cy="19" r="5.5" fill="${color}"/>`,
    ),
    ...rows.flatMap((cells, row) => fills(cells, row)),
    '<g fill="none" stroke-width="1.2">',
    ...rows.flatMap((cells, row) => lines(cells, row)),
    '</g>',
    `<g font-family="${FONT}" font-size="${FONT_SIZE}">`,
    ...rows.flatMap((cells, row) => words(cells, row)),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

function fills(cells: Cell[], row: number): string[] {
  const filled = cells.filter(({ fill }) => fill !== BACKGROUND)
  return runs(filled, (a, b) => a.fill === b.fill).map((run) => {
    const [x, width] = [xOf(run[0]), run.length && widthOf(run) * COLUMN]
    const box = `x="${x}" y="${TITLE_BAR + row * ROW}" width="${round(width)}" height="${ROW}"`
    return `<rect ${box} fill="${run[0]?.fill}"/>`
  })
}

function words(cells: Cell[], row: number): string[] {
  const written = cells.filter(({ text }) => text.trim() !== '' && !(text in LINES))
  return runs(written, (a, b) => a.ink === b.ink && a.bold === b.bold).map((run) => {
    const [first] = run
    const place = `x="${xOf(first)}" y="${round(TITLE_BAR + row * ROW + BASELINE)}"`
    const weight = first?.bold ? ' font-weight="600"' : ''
    const length = `textLength="${round(widthOf(run) * COLUMN)}" lengthAdjust="spacingAndGlyphs"`
    const text = xml(run.map((cell) => cell.text).join(''))
    return `<text ${place} fill="${first?.ink}"${weight} ${length}>${text}</text>`
  })
}

/** Where each of these lines goes from the middle of its cell. */
const LINES: Readonly<Record<string, string>> = {
  '─': 'we',
  '│': 'ns',
  '┌': 'se',
  '╭': 'se',
  '┐': 'sw',
  '╮': 'sw',
  '└': 'ne',
  '╰': 'ne',
  '┘': 'nw',
  '╯': 'nw',
  '├': 'nse',
  '┤': 'nsw',
}

function lines(cells: Cell[], row: number): string[] {
  const drawn = cells.filter(({ text }) => text in LINES)
  return runs(drawn, (a, b) => a.ink === b.ink && a.text === '─' && b.text === '─').map((run) => {
    const [first, last] = [run[0], run.at(-1)]
    const directions = LINES[first?.text ?? ''] ?? ''
    const [left, right] = [xOf(first), round(xOf(last) + COLUMN)]
    const [x, top] = [round(xOf(first) + COLUMN / 2), TITLE_BAR + row * ROW]
    const y = top + ROW / 2
    const ends: Record<string, string> = {
      w: `M${x} ${y}H${left}`,
      e: `M${x} ${y}H${right}`,
      n: `M${x} ${y}V${top}`,
      s: `M${x} ${y}V${top + ROW}`,
    }
    const path = [...directions].map((direction) => ends[direction]).join('')
    return `<path d="${path}" stroke="${first?.ink}"/>`
  })
}

/** Groups neighbours that belong together. */
function runs(cells: Cell[], alike: (a: Cell, b: Cell) => boolean): Cell[][] {
  const found: Cell[][] = []
  for (const cell of cells) {
    const last = found.at(-1)?.at(-1)
    if (last && last.column + last.width === cell.column && alike(last, cell))
      found.at(-1)?.push(cell)
    else found.push([cell])
  }
  return found
}

/** tmux prints a change of the pen only once, and it carries over to the following lines. */
function cellsOf(screen: string): Cell[][] {
  let pen: Pen = { bold: false, dim: false, reverse: false }
  return screen.split('\n').map((line) => {
    const cells: Cell[] = []
    let column = 0
    for (const [part] of line.matchAll(/\u001b\[[\d;:]*m|[^\u001b]+|\u001b/g)) {
      if (part.startsWith('\u001b')) {
        pen = changed(pen, part)
        continue
      }
      for (const { segment } of new Intl.Segmenter().segment(part)) {
        const width = stringWidth(segment)
        cells.push({ text: segment, column, width, ...inkOf(pen) })
        column += width
      }
    }
    return cells
  })
}

function inkOf({ color, fill, bold, dim, reverse }: Pen): Pick<Cell, 'ink' | 'fill' | 'bold'> {
  const [ink, ground] = [color ?? (dim ? DIM : FOREGROUND), fill ?? BACKGROUND]
  return reverse ? { ink: ground, fill: ink, bold } : { ink, fill: ground, bold }
}

function changed(pen: Pen, sequence: string): Pen {
  const codes = sequence.slice(2, -1).split(/[;:]/).map(Number)
  let next = pen
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0
    if ((code === 38 || code === 48) && codes[index + 1] === 5) {
      next = { ...next, [code === 38 ? 'color' : 'fill']: indexed(codes[index + 2] ?? 0) }
      index += 2
    } else if ((code === 38 || code === 48) && codes[index + 1] === 2) {
      const [red = 0, green = 0, blue = 0] = codes.slice(index + 2, index + 5)
      next = { ...next, [code === 38 ? 'color' : 'fill']: hex(red, green, blue) }
      index += 4
    } else {
      next = simple(next, code)
    }
  }
  return next
}

function simple(pen: Pen, code: number): Pen {
  if (code === 0) return { bold: false, dim: false, reverse: false }
  if (code === 1) return { ...pen, bold: true }
  if (code === 2) return { ...pen, dim: true }
  if (code === 22) return { ...pen, bold: false, dim: false }
  if (code === 7 || code === 27) return { ...pen, reverse: code === 7 }
  const { color, fill, ...rest } = pen
  const kept = { ...(color && { color }), ...(fill && { fill }) }
  if (code === 39) return { ...rest, ...(fill && { fill }) }
  if (code === 49) return { ...rest, ...(color && { color }) }
  if (code >= 30 && code <= 37) return { ...rest, ...kept, color: indexed(code - 30) }
  if (code >= 40 && code <= 47) return { ...rest, ...kept, fill: indexed(code - 40) }
  if (code >= 90 && code <= 97) return { ...rest, ...kept, color: indexed(code - 82) }
  if (code >= 100 && code <= 107) return { ...rest, ...kept, fill: indexed(code - 92) }
  return pen
}

function indexed(index: number): string {
  const own = PALETTE[index]
  if (own) return own
  if (index >= 232) return hex(...([0, 0, 0].map(() => 8 + (index - 232) * 10) as Rgb))
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40)
  const cube = index - 16
  return hex(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6))
}

type Rgb = [number, number, number]

function hex(...rgb: Rgb): string {
  return `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

function xOf(cell: Cell | undefined): number {
  return round(MARGIN + (cell?.column ?? 0) * COLUMN)
}

function widthOf(run: Cell[]): number {
  return run.reduce((sum, { width }) => sum + width, 0)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function xml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
