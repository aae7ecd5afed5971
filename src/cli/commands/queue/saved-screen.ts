import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { messageOf, TrailBossError } from '../../../core/errors.ts'
import { type Cursor, type Screen, screenOf } from '../../../core/screen/screen.ts'

export type SavedScreenOptions = { screen: string; title?: string; cursor?: string }

/** The screen in a file: its text as tmux captures it, or a recording with title and cursor. */
export function readSavedScreen({ screen: file, title, cursor }: SavedScreenOptions): Screen {
  const given = {
    ...(title !== undefined && { title }),
    ...(cursor !== undefined && { cursor: cursorOf(cursor) }),
  }
  const text = textOf(file)
  const { lines = text.split('\n'), ...recorded } = recordingIn(text) ?? {}
  return screenOf(lines.join('\n'), { ...recorded, ...given })
}

export function cursorOf(text: string): Cursor {
  if (text === 'hidden') return { x: 0, y: 0, visible: false }
  const [, x, y] = /^(\d{1,5}),(\d{1,5})$/.exec(text) ?? []
  if (x !== undefined && y !== undefined) return { x: Number(x), y: Number(y), visible: true }
  throw new TrailBossError(
    'BAD_USAGE',
    `--cursor is "${text}", which is not a position on a screen.`,
    {
      hint: "Write column and row, counted from 0, as tmux display -p '#{cursor_x},#{cursor_y}' prints them; or: hidden",
    },
  )
}

const MAX_BYTES = 1024 * 1024

const Recording = v.object({
  lines: v.array(v.string()),
  title: v.optional(v.string(), ''),
  cursor: v.optional(v.object({ x: v.number(), y: v.number(), visible: v.boolean() })),
  width: v.optional(v.number()),
  height: v.optional(v.number()),
})

function recordingIn(text: string) {
  if (!text.startsWith('{')) return undefined
  try {
    const { cursor, width, height, ...rest } = v.parse(Recording, JSON.parse(text))
    return {
      ...rest,
      ...(cursor && { cursor }),
      ...(width !== undefined && { width }),
      ...(height !== undefined && { height }),
    }
  } catch {
    return undefined
  }
}

function textOf(file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file === '-' ? 0 : file)
  } catch (error) {
    throw new TrailBossError('BAD_USAGE', `${file} cannot be read: ${messageOf(error)}`, {
      hint: 'Save a screen with: tmux capture-pane -p -t %3 > screen.txt',
    })
  }
  if (bytes.length <= MAX_BYTES) return bytes.toString('utf8')
  throw new TrailBossError('BAD_USAGE', `${file} is larger than 1 MiB: that is no screen.`)
}
