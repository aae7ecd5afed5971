import { styleText } from 'node:util'

export type Tone = 'good' | 'waiting' | 'bad' | 'quiet' | 'heading'

export type Paint = (tone: Tone, text: string) => string

const STYLES = {
  good: 'green',
  waiting: 'yellow',
  bad: 'red',
  quiet: 'dim',
  heading: 'bold',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>

/** The terminal's own colours; none where nobody looks, or where they are not wanted. */
export function paintFor(stream: NodeJS.WriteStream = process.stdout): Paint {
  const isColored = stream.isTTY && stream.hasColors() && !process.env['NO_COLOR']
  return isColored
    ? (tone, text) => styleText(STYLES[tone], text, { validateStream: false })
    : plain
}

export const plain: Paint = (_, text) => text
