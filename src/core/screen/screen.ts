/** What a pane shows at one moment. */
export type Screen = {
  /** One per row from the top, without trailing white space, and without empty ones after the last. */
  lines: readonly string[]
  title: string
  /** Absent if unknown. Counted in cells from the top left one, as tmux does. */
  cursor?: Cursor
  width: number
  height: number
}

export type Cursor = { x: number; y: number; visible: boolean }

/** The screen in a captured text. If its size is not given, the text determines it. */
export function screenOf(
  text: string,
  { title = '', cursor, width, height }: Partial<Omit<Screen, 'lines'>> = {},
): Screen {
  const rows = text.split('\n').map((row) => row.trimEnd())
  const lines = rows.slice(0, rows.findLastIndex((row) => row !== '') + 1)
  return {
    lines,
    title,
    ...(cursor && { cursor }),
    width: width ?? lines.reduce((widest, line) => Math.max(widest, line.length), 0),
    height: height ?? lines.length,
  }
}

/** Whether the cursor is visible right behind the text of the last line: the place to type. */
export function isCursorAtEnd({ lines, cursor }: Screen): boolean {
  const last = lines.at(-1)
  if (!cursor?.visible || last === undefined || cursor.y !== lines.length - 1) return false
  // Every version of tmux decides for itself how many cells joined emoji take.
  if (last.includes('\u200d')) return cursor.x > 0
  const gap = cursor.x - cellsOf(last)
  return gap >= 0 && gap <= MOST_SPACES_BEFORE_CURSOR
}

const MOST_SPACES_BEFORE_CURSOR = 2
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/gu
const NARROWER = /[\p{Mn}\p{Me}\u200d]/gu

/** The text in the first cells. */
export function firstCells(line: string, cells: number): string {
  if (/^[\x20-\x7e]*$/.test(line)) return line.slice(0, cells)
  let first = ''
  let taken = 0
  for (const char of line) {
    taken += cellsOf(char)
    if (taken > cells) break
    first += char
  }
  return first
}

export function cellsOf(line: string): number {
  if (/^[\x20-\x7e]*$/.test(line)) return line.length
  const bare = line.replace(NARROWER, '')
  return [...bare].length + (bare.match(WIDE)?.length ?? 0)
}
