import { TrailBossError } from '../../core/errors.ts'
import { type Screen, screenOf } from '../../core/screen/screen.ts'
import type { ControlClient } from '../control/control-client.ts'
import type { ControlAnswer, ControlSequence } from '../control/control-connection.ts'
import { type RunCommands, runCommands } from '../exec.ts'

/** A pane's screen, and what else tmux knew about the pane at that moment. */
export type PaneScreen = {
  screen: Screen
  /** The pane's own process: with the server's pid it distinguishes the pane from a later one with its id. */
  pid: number
  isDead: boolean
  /** The operator looks at something else in it: we capture what it would otherwise show. */
  isInMode: boolean
  isAlternate: boolean
}

// The title comes last, and a title has no line breaks.
const ABOUT = [
  'a #{pane_id} #{pane_pid} #{?pane_dead,1,0} #{pane_in_mode} #{?alternate_on,1,0}',
  '#{cursor_x} #{cursor_y} #{?cursor_flag,1,0} #{pane_width} #{pane_height} #{pane_title}',
].join(' ')
const ABOUT_LINE = /^a (%\d+) (-?\d+) ([01]) (\d+) ([01]) (\d+) (\d+) ([01]) (\d+) (\d+) (.*)$/s

/**
 * The screens of all these panes in one pass. A missing pane has none and does not affect the others. Rejects
 * if tmux did not answer, which says nothing about any pane.
 */
export async function captureAll(
  client: Pick<ControlClient, 'run'>,
  panes: Iterable<string>,
): Promise<Map<string, PaneScreen | undefined>> {
  const ids = [...new Set(panes)].filter((id) => /^%\d+$/.test(id))
  const answers = await client.run(ids.map(captureOf))
  return new Map(ids.map((id, index) => [id, screenIn(id, answers[index] ?? [])]))
}

/** With more, the command would be longer than tmux accepts. */
const MOST_IN_PROCESS = 50

/** The same with one process for all, for use without a control client; one more for each pane that is gone. */
export async function captureByProcess(
  socket: string,
  panes: Iterable<string>,
  run: RunCommands = runCommands,
): Promise<Map<string, PaneScreen | undefined>> {
  const ids = [...new Set(panes)].filter((id) => /^%\d+$/.test(id))
  const parts = Array.from({ length: Math.ceil(ids.length / MOST_IN_PROCESS) }, (_, index) =>
    ids.slice(index * MOST_IN_PROCESS, (index + 1) * MOST_IN_PROCESS),
  )
  const captured = await Promise.all(parts.map((part) => captureTogether(socket, part, run)))
  const screens = new Map(captured.flatMap((some) => [...some]))
  return new Map(ids.map((id) => [id, screens.get(id)]))
}

async function captureTogether(
  socket: string,
  ids: readonly string[],
  run: RunCommands,
): Promise<Map<string, PaneScreen | undefined>> {
  if (ids.length === 0) return new Map()
  const commands = ids.flatMap((id) => captureOf(id).map(({ words }) => words))
  const result = await run(socket, commands)
  if (!result.ok && result.kind !== 'failed') throw unreachable(socket, result.kind)
  if (!result.ok && ids.length > 1) {
    const gone = goneIn(result.stderr)
    const left = ids.filter((id) => id !== gone)
    if (left.length < ids.length) return await captureTogether(socket, left, run)
    const each = await Promise.all(ids.map((id) => captureTogether(socket, [id], run)))
    return new Map(each.flatMap((one) => [...one]))
  }
  const printed = { rows: result.ok ? result.stdout.split('\n') : [], at: 0 }
  return new Map(ids.map((id) => [id, screenIn(id, answersIn(printed))]))
}

/** The pane that tmux did not find (3.3a, 3.5a). */
function goneIn(stderr: string): string | undefined {
  return /^can't find pane: (%\d+)$/m.exec(stderr)?.[1]
}

/** What the two commands for the next pane printed: a line, and one for each row. */
function answersIn(printed: { rows: readonly string[]; at: number }): ControlAnswer[] {
  const { rows, at } = printed
  const about = { ok: true, lines: rows.slice(at, at + 1) }
  const height = Number(aboutIn(about)?.[10] ?? 0)
  printed.at += 1 + height
  return [about, { ok: height > 0, lines: rows.slice(at + 1, printed.at) }]
}

function unreachable(socket: string, why: string): TrailBossError {
  return new TrailBossError('TMUX_UNREACHABLE', `tmux at ${socket} could not be asked: ${why}.`)
}

function captureOf(id: string): ControlSequence {
  return [
    { words: ['display-message', '-p', '-t', id, ABOUT] },
    {
      words: ['capture-pane', '-p', '-t', id],
      // Run in one go, so there is one line for each row, whatever it contains.
      lines: ([about]) => Number(aboutIn(about)?.[10] ?? 0),
    },
  ]
}

function screenIn(id: string, [first, capture]: readonly ControlAnswer[]): PaneScreen | undefined {
  const about = aboutIn(first)
  if (about?.[1] !== id || !capture?.ok) return undefined
  const [, , pid, dead, modes, alternate, x, y, visible, width, height, title = ''] = about
  return {
    screen: screenOf(capture.lines.join('\n'), {
      title,
      cursor: { x: Number(x), y: Number(y), visible: visible === '1' },
      width: Number(width),
      height: Number(height),
    }),
    pid: Number(pid),
    isDead: dead === '1',
    isInMode: modes !== '0',
    isAlternate: alternate === '1',
  }
}

function aboutIn(answer: ControlAnswer | undefined): RegExpExecArray | null {
  return ABOUT_LINE.exec(answer?.lines[0] ?? '')
}
