import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Screen, screenOf } from '../../../src/core/monitor/screen.ts'
import type { TmuxServer } from '../../support/tmux-server.ts'

/** What a recorded screen is, as whoever made it knows. */
export type CorpusState = 'waiting' | 'working' | 'stalled' | 'finished'

export type CorpusScreen = Screen & {
  state: CorpusState
  reason?: 'permission' | 'stopped'
  note: string
}

/** The sizes in which every screen is recorded. */
export const SIZES = [
  { width: 80, height: 24 },
  { width: 120, height: 40 },
  { width: 200, height: 50 },
] as const

export type Corpus = {
  add(screen: Screen, about: Pick<CorpusScreen, 'state' | 'reason' | 'note'>): void
  counts(): string
}

/**
 * Writes `test/fixtures/screens/<harness>/<version>/<state>--<n>.json` anew. Those with an even number
 * are held back: no rule is written by them.
 */
export function createCorpus(
  harness: string,
  version: string,
  scrub: (text: string) => string,
): Corpus {
  const place = new URL(`../../fixtures/screens/${harness}/${version}/`, import.meta.url)
  const dir = fileURLToPath(place)
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  const counts = new Map<CorpusState, number>()
  return {
    add: ({ lines, title, cursor, width, height }, { state, reason, note }) => {
      const n = (counts.get(state) ?? 0) + 1
      counts.set(state, n)
      const recorded = {
        state,
        ...(reason && { reason }),
        title: scrub(title),
        cursor: cursor ?? null,
        width,
        height,
        lines: lines.map(scrub),
        note,
      }
      writeFileSync(join(dir, `${state}--${n}.json`), `${JSON.stringify(recorded, null, 1)}\n`)
    },
    counts: () => [...counts].map(([state, n]) => `${n} ${state}`).join(', '),
  }
}

/** What a pane shows now, with its title and its cursor. */
export async function screenIn(server: TmuxServer, pane: string): Promise<Screen> {
  const format = '#{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag} #{pane_title}'
  const told = await server.run('display-message', '-p', '-t', pane, format)
  const text = await server.run('capture-pane', '-p', '-t', pane)
  const [width, height, x, y, flag, ...title] = told.split(' ')
  return screenOf(text, {
    width: Number(width),
    height: Number(height),
    cursor: { x: Number(x), y: Number(y), visible: flag === '1' },
    title: title.join(' ').trimEnd(),
  })
}
