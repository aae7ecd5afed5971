import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { type Cursor, type Screen, screenOf } from '../../../src/core/screen/screen.ts'
import type { TmuxServer } from '../../support/tmux-server.ts'
import { type ToldEntry, toldOf } from './told.ts'

/** What a recorded screen is, as whoever made it knows. */
export type CorpusState = 'waiting' | 'working' | 'stalled' | 'finished'

export type CorpusScreen = Screen & {
  state: CorpusState
  reason?: 'permission' | 'stopped'
  note: string
  /** The colours and the size that it was drawn for, where they are what it was recorded for. */
  terminal?: string
  /** What three more looks showed, each by what was different from the first. */
  later?: LaterLook[]
  /** What the daemon had been told of the sessions in the pane by then. Absent: there was no daemon. */
  told?: ToldEntry[]
}

/** The lines that were different, by their row, and how many there were. */
type LaterLook = {
  title?: string
  cursor?: Cursor
  rows: number
  lines: Record<string, string>
}

/** Where a screen is recorded: its tmux server, and in `TRAILBOSS_HOME` what a daemon was told. */
type CorpusPlace = { server: TmuxServer; env: NodeJS.ProcessEnv }

/** The sizes in which every screen is recorded. */
export const SIZES = [
  { width: 80, height: 24 },
  { width: 120, height: 40 },
  { width: 200, height: 50 },
] as const

export type Shot = Pick<CorpusScreen, 'state' | 'reason' | 'note' | 'terminal'>

const LATER_LOOKS = 3
const LOOK_MS = 700

export type Corpus = {
  /** Three more looks take two seconds, in which other sources can tell of the state, too. */
  take(place: CorpusPlace, pane: string, about: Shot): Promise<void>
  add(screen: Screen, about: Shot, more?: Pick<CorpusScreen, 'later' | 'told'>): void
  counts(): string
}

/**
 * Writes `test/fixtures/screens/<harness>/<version>/<state>--<n>.json` anew: those of terminals of all kinds, or all
 * others. Those with an even number are held back: no rule is written by them.
 */
export function createCorpus(
  harness: string,
  version: string,
  scrub: (text: string) => string,
  { ofTerminals = false } = {},
): Corpus {
  const place = new URL(`../../fixtures/screens/${harness}/${version}/`, import.meta.url)
  const dir = fileURLToPath(place)
  mkdirSync(dir, { recursive: true })
  for (const name of readdirSync(dir)) {
    const { terminal } = JSON.parse(readFileSync(join(dir, name), 'utf8')) as CorpusScreen
    if ((terminal !== undefined) === ofTerminals) rmSync(join(dir, name))
  }
  const counts = new Map<CorpusState, number>()
  const free = (state: CorpusState, n: number): string => {
    const file = join(dir, `${state}--${n}.json`)
    return existsSync(file) ? free(state, n + 1) : file
  }
  const corpus: Corpus = {
    take: async ({ server, env }, pane, about) => {
      const screen = await screenIn(server, pane)
      const later: LaterLook[] = []
      for (let look = 0; look < LATER_LOOKS; look++) {
        await delay(LOOK_MS)
        later.push(changeSince(screen, await screenIn(server, pane)))
      }
      const home = env['TRAILBOSS_HOME']
      corpus.add(screen, about, { later, ...(home && { told: toldOf(home, pane) }) })
    },
    add: (
      { lines, title, cursor, width, height },
      { state, reason, note, terminal },
      more = {},
    ) => {
      counts.set(state, (counts.get(state) ?? 0) + 1)
      const recorded = {
        state,
        ...(reason && { reason }),
        title: scrub(title),
        cursor: cursor ?? null,
        width,
        height,
        lines: lines.map(scrub),
        note,
        ...(terminal && { terminal }),
        ...scrubbed(more, scrub),
      }
      writeFileSync(free(state, 1), fileText(recorded))
    },
    counts: () => [...counts].map(([state, n]) => `${n} ${state}`).join(', '),
  }
  return corpus
}

/** What was told has a line for each entry: there are many. */
function fileText({ told, ...screen }: Omit<CorpusScreen, 'cursor'>): string {
  const text = JSON.stringify(screen, null, 1)
  if (!told) return `${text}\n`
  const entries = told.map((entry) => `  ${JSON.stringify(entry)}`).join(',\n')
  return `${text.slice(0, -2)},\n "told": [\n${entries}\n ]\n}\n`
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

/** The looks at a recorded screen, the first one first. */
export function looksOf({ later = [], ...first }: CorpusScreen): Screen[] {
  const { lines, width, height } = first
  const next = later.map(
    ({ title = first.title, cursor = first.cursor, rows, lines: changed }) => ({
      title,
      width,
      height,
      ...(cursor && { cursor }),
      lines: Array.from({ length: rows }, (_, row) => changed[row] ?? lines[row] ?? ''),
    }),
  )
  return [first, ...next]
}

function changeSince(first: Screen, next: Screen): LaterLook {
  const changed = next.lines.flatMap((line, row) =>
    line === first.lines[row] ? [] : [[String(row), line] as const],
  )
  return {
    ...(next.title !== first.title && { title: next.title }),
    ...(!isDeepStrictEqual(next.cursor, first.cursor) && next.cursor && { cursor: next.cursor }),
    rows: next.lines.length,
    lines: Object.fromEntries(changed),
  }
}

function scrubbed<T>(value: T, scrub: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'string' ? scrub(part) : part,
  ) as T
}
