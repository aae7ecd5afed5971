import { runTmux } from '../exec.ts'

/** Reads a global option; empty if it is not set. */
export type ReadOption = (name: string) => Promise<string>

export type SegmentPlace = 'shown' | 'absent' | 'no status line'

/** Whether the status line of this server draws our segment, whatever a theme has made of the line. */
export function segmentPlace(socket: string): Promise<SegmentPlace> {
  return placeOf(async (name) => {
    const result = await runTmux(socket, ['show-options', '-gqv', name])
    return result.ok ? result.stdout : ''
  })
}

/** Follows the options that make up the line. It cannot follow what a command prints into it. */
export async function placeOf(read: ReadOption): Promise<SegmentPlace> {
  const status = (await read('status')).trim()
  if (status === 'off') return 'no status line'
  const rows = Number(status) || 1
  const names = Array.from({ length: rows }, (_, row) => `status-format[${row}]`)
  const seen = new Set(names)
  while (names.length > 0 && seen.size < MOST_OPTIONS) {
    const text = await read(names.shift()!)
    for (const [name] of text.matchAll(MENTION)) {
      if (name === '@trailboss_segment') return 'shown'
      if (seen.has(name)) continue
      seen.add(name)
      names.push(name)
    }
  }
  return 'absent'
}

const MOST_OPTIONS = 200
/** `status-left-length` and similar options are not part of what is drawn. */
const MENTION = /(?:@[\w-]+|\bstatus-(?:left|right|format\[\d\]))(?![\w-])/g
