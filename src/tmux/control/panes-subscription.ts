import { runTmux } from '../exec.ts'
import type { ControlClient } from './control-client.ts'

/** A pane as tmux reports it after a change. */
export type PaneNews = {
  pid: number
  isDead: boolean
  isInMode: boolean
  /** When anything in its window last printed, epoch seconds. */
  printedAt: number
  title: string
}

/** All panes of a server. Undefined: the report could not be parsed. */
export type PanesNews = { serverPid: number; panes: Map<string, PaneNews> } | undefined

// A title is preceded by its length in bytes, so nothing in it can pass for another pane.
const PANE = [
  '#{pane_id} #{pane_pid} #{?pane_dead,1,0} #{pane_in_mode} #{window_activity}',
  '#{n;=512:pane_title}:#{=512:pane_title};',
].join(' ')

const PANES_FORMAT = `#{pid};#{S:#{W:#{P:${PANE}}}}`

/** Reports all panes of the server, at first and when one has changed. Call the result to end it. */
export function watchPanes(client: ControlClient, changed: (news: PanesNews) => void): () => void {
  return client.subscribe('trailboss-panes', PANES_FORMAT, (value) => changed(parsePanes(value)))
}

/** The same, requested once through a process. Also undefined if the server does not answer. */
export async function askPanes(socket: string): Promise<PanesNews> {
  const result = await runTmux(socket, ['display-message', '-p', PANES_FORMAT])
  return result.ok ? parsePanes(Buffer.from(result.stdout.trimEnd())) : undefined
}

export function parsePanes(value: Buffer): PanesNews {
  // One character per byte, as tmux counts.
  const text = value.toString('latin1')
  const [head, server] = /^(\d+);/.exec(text) ?? []
  if (!head) return undefined
  const panes = new Map<string, PaneNews>()
  const entry = /(%\d+) (-?\d+) ([01]) (\d+) (\d+) (\d+):/y
  for (let at = head.length; at < text.length; ) {
    entry.lastIndex = at
    const [, id, pid, dead, modes, printed, length] = entry.exec(text) ?? []
    const end = entry.lastIndex + Number(length)
    if (!id || text[end] !== ';') return undefined
    panes.set(id, {
      pid: Number(pid),
      isDead: dead === '1',
      isInMode: modes !== '0',
      printedAt: Number(printed),
      title: value.toString('utf8', entry.lastIndex, end),
    })
    at = end + 1
  }
  return { serverPid: Number(server), panes }
}
