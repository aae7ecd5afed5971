import { type RunCommands, runCommands, runTmux } from './exec.ts'

/** The result of one look at a tmux server. "Could not look" is not "there is nothing". */
export type PaneListing =
  | { ok: true; serverPid: number; panes: Map<string, ListedPane> }
  | { ok: false; kind: 'missing' | 'timeout' | 'no-server' | 'failed' }

type ListedPane = {
  pid: number
  dead: boolean
  /** The operator wants it watched: the option is set on the pane, its window or its session. */
  isWatched: boolean
}

/** The option that makes us watch a pane. */
export const WATCH_OPTION = '@trailboss_watch'
export const WATCHED_VALUE = /^(on|1|yes|true)$/

// Numbers and ids only: a path or a title in the same line could forge a row.
const WATCHED = `#{?#{m/r:${WATCHED_VALUE.source},#{${WATCH_OPTION}}},1,0}`
const FORMAT = `#{pid} #{pane_id} #{pane_pid} #{?pane_dead,1,0} ${WATCHED}`
const ROW = /^(\d+) (%\d+) (\d+) ([01]) ([01])$/

/** `also`: commands without output to run along with it. */
export async function listPanes(
  socket: string,
  also: readonly (readonly string[])[] = [],
  run: RunCommands = runCommands,
): Promise<PaneListing> {
  const result = await run(socket, [['list-panes', '-a', '-F', FORMAT], ...also])
  return result.ok ? parseListing(result.stdout) : { ok: false, kind: result.kind }
}

function parseListing(stdout: string): PaneListing {
  const panes = new Map<string, ListedPane>()
  let serverPid = 0
  for (const line of stdout.split('\n').filter(Boolean)) {
    const [, server, id, pid, dead, watched] = ROW.exec(line) ?? []
    if (!server || !id) return { ok: false, kind: 'failed' }
    serverPid = Number(server)
    panes.set(id, { pid: Number(pid), dead: dead === '1', isWatched: watched === '1' })
  }
  return panes.size > 0 ? { ok: true, serverPid, panes } : { ok: false, kind: 'failed' }
}

/** The visible text of a pane, without escapes. Undefined if it cannot be read. */
export async function capturePane(socket: string, id: string): Promise<string | undefined> {
  const result = await runTmux(socket, ['capture-pane', '-e', '-N', '-p', '-t', id])
  return result.ok ? result.stdout : undefined
}
