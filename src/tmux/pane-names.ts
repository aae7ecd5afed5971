/** What people call the place of a pane. The texts are as tmux has them: make them safe before you show them. */
export type PaneNames = {
  /** The tmux session and the window, as in a target: `work:api`, or `work:3` if nobody named the window. */
  window: string
  /** The title that the program in it has set. */
  title: string
}

/** Each text comes after its length in bytes, so nothing in it can pass for another one. */
const text = (name: string) => `#{n;=200:${name}}:#{=200:${name}}`

export const NAMES_FORMAT = [
  'n #{pane_id} #{window_index} #{?automatic-rename,1,0}',
  ...['session_name', 'window_name', 'pane_title'].map(text),
  '.',
].join(' ')

/** No row of numbers looks like this. */
export function isNamesRow(line: string): boolean {
  return line.startsWith('n ')
}

/** By pane. What cannot be parsed has no names, nor has anything after it. A linked window counts where it comes first. */
export function parseNames(lines: readonly string[]): Map<string, PaneNames> {
  const bytes = Buffer.from(`${lines.join('\n')}\n`)
  // One character per byte, as tmux counts.
  const all = bytes.toString('latin1')
  const names = new Map<string, PaneNames>()
  let at = 0
  const textHere = (): string | undefined => {
    const [begin, length] = matchAt(/(\d+):/y, all, at) ?? []
    if (begin === undefined) return undefined
    const start = at + begin.length
    at = start + Number(length) + 1
    return all[at - 1] === ' ' ? bytes.toString('utf8', start, at - 1) : undefined
  }
  while (at < all.length) {
    const [begin, id = '', index, isAutomatic] = matchAt(/n (%\d+) (\d+) ([01]) /y, all, at) ?? []
    if (begin === undefined) break
    at += begin.length
    const [session, window, title] = [textHere(), textHere(), textHere()]
    if (session === undefined || window === undefined || title === undefined) break
    if (!all.startsWith('.\n', at)) break
    at += 2
    const isNamed = isAutomatic === '0' && window.trim() !== ''
    if (!names.has(id)) names.set(id, { window: `${session}:${isNamed ? window : index}`, title })
  }
  return names
}

function matchAt(pattern: RegExp, all: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(all)
}
