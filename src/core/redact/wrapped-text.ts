/** A screen's text with its wrapped lines joined, and where it has to be broken again. */
export type Unwrapped = { text: string; breaks: readonly { at: number; gap: string }[] }

/** A line of a screen that wraps nothing is seldom this long and as long as the longest. */
const LEAST_WIDTH = 40
/** The frame that a program draws around its text, and the indentation within. */
const GAP = /(?<=[\w+/=.~:@%-])([ \t]*[│┃║|]?[ \t]*\n[ \t]*[│┃║|>]?[ \t]*)(?=[\w+/=.~:@%-])/g

/** Joins lines that are as long as the longest one and end within a word: that is where a screen wraps. */
export function unwrapped(text: string): Unwrapped {
  const width = Math.max(0, ...text.split('\n').map((line) => line.trimEnd().length))
  if (width < LEAST_WIDTH || !text.includes('\n')) return { text, breaks: [] }
  const breaks: { at: number; gap: string }[] = []
  let removed = 0
  const joined = text.replace(GAP, (gap: string, _: string, at: number) => {
    const start = text.lastIndexOf('\n', at - 1) + 1
    const line = text.slice(start, at + gap.indexOf('\n')).trimEnd()
    if (line.length < width - 1) return gap
    breaks.push({ at: at - removed, gap })
    removed += gap.length
    return ''
  })
  return { text: joined, breaks }
}

/** The lines as they were. `text` has the length of what was joined. */
export function wrappedAgain(text: string, { breaks }: Unwrapped): string {
  let from = 0
  const pieces = breaks.map(({ at, gap }) => {
    const piece = text.slice(from, at) + gap
    from = at
    return piece
  })
  return pieces.join('') + text.slice(from)
}
