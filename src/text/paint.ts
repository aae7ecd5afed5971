import { styleText } from 'node:util'
import type { WaitLabel } from '../core/session/wait-label.ts'

export type Tone = 'good' | 'waiting' | 'asking' | 'bad' | 'quiet' | 'heading'

export type Paint = (tone: Tone, text: string) => string

const STYLES = {
  good: 'green',
  waiting: 'yellow',
  asking: 'magenta',
  bad: 'red',
  quiet: 'dim',
  heading: 'bold',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>

/** The terminal's own colours; none in a pipe, or if they are not wanted. */
export function paintFor(stream: NodeJS.WriteStream = process.stdout): Paint {
  if (!hasColor(stream)) return plain
  return (tone, text) => styleText(STYLES[tone], text, { validateStream: false })
}

export const plain: Paint = (_, text) => text

/** As in Node, `FORCE_COLOR` outweighs `NO_COLOR`. */
export function hasColor(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'hasColors'>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return !['0', 'false'].includes(forced)
  return !env['NO_COLOR'] && Boolean(stream.isTTY && stream.hasColors())
}

/** The flag outweighs any variable. */
export function useNoColor(env: NodeJS.ProcessEnv = process.env): void {
  env['NO_COLOR'] = '1'
  delete env['FORCE_COLOR']
}

export const LABEL_TONES: Record<WaitLabel, Tone> = {
  asks: 'asking',
  permission: 'waiting',
  finished: 'good',
  error: 'bad',
  interrupted: 'quiet',
  stalled: 'bad',
  waits: 'quiet',
}
