import { type RunCommands, runCommands, runTmux } from './exec.ts'
import { isNamesRow, NAMES_FORMAT, type PaneNames, parseNames } from './pane-names.ts'

/** The result of one look at a tmux server. "Could not look" is not "there is nothing". */
export type PaneListing =
  | { ok: true; serverPid: number; panes: Map<string, ListedPane> }
  | { ok: false; kind: 'missing' | 'timeout' | 'no-server' | 'failed' }

type ListedPane = {
  pid: number
  dead: boolean
  /** The operator wants it watched: the option is set on the pane, its window or its session. */
  isWatched: boolean
  /** Undefined if tmux's answer could not be parsed. */
  names: PaneNames | undefined
}

/** The option that makes us watch a pane. */
export const WATCH_OPTION = '@trailboss_watch'
export const WATCHED_VALUE = /^(on|1|yes|true)$/

// Numbers and ids only: a path or a title in the same line could forge a row. Names come after all of these.
const WATCHED = `#{?#{m/r:${WATCHED_VALUE.source},#{${WATCH_OPTION}}},1,0}`
const FORMAT = `#{pid} #{pane_id} #{pane_pid} #{?pane_dead,1,0} ${WATCHED}`
const ROW = /^(\d+) (%\d+) (\d+) ([01]) ([01])$/

/** `also`: commands without output to run along with it. */
export async function listPanes(
  socket: string,
  also: readonly (readonly string[])[] = [],
  run: RunCommands = runCommands,
): Promise<PaneListing> {
  const listed = ['list-panes', '-a', '-F']
  const result = await run(socket, [[...listed, FORMAT], [...listed, NAMES_FORMAT], ...also])
  return result.ok ? parseListing(result.stdout) : { ok: false, kind: result.kind }
}

function parseListing(stdout: string): PaneListing {
  const panes = new Map<string, ListedPane>()
  let serverPid = 0
  const lines = stdout.split('\n').filter(Boolean)
  const end = lines.findIndex(isNamesRow)
  const rows = end < 0 ? lines : lines.slice(0, end)
  const names = parseNames(lines.slice(rows.length))
  for (const line of rows) {
    const [, server, id, pid, dead, watched] = ROW.exec(line) ?? []
    if (!server || !id) return { ok: false, kind: 'failed' }
    serverPid = Number(server)
    panes.set(id, {
      pid: Number(pid),
      dead: dead === '1',
      isWatched: watched === '1',
      names: names.get(id),
    })
  }
  return panes.size > 0 ? { ok: true, serverPid, panes } : { ok: false, kind: 'failed' }
}

/** The visible text of a pane, without escapes. Undefined if it cannot be read. */
export async function capturePane(socket: string, id: string): Promise<string | undefined> {
  const result = await runTmux(socket, ['capture-pane', '-e', '-N', '-p', '-t', id])
  return result.ok ? result.stdout : undefined
}
