import { isSamePane, type PaneRef } from '../core/pane.ts'
import { ancestry } from '../process/ancestry.ts'
import { environmentOf } from '../process/environment.ts'
import { canSeeProcesses } from '../process/process-state.ts'
import { runCommands } from './exec.ts'
import type { AttachedClient, Nesting } from './nesting.ts'
import { canonicalSocket, parseTmuxVariable } from './socket.ts'

type FoundClient = Omit<AttachedClient, 'runsIn'> & { pid: number; ancestors: number[] }
type FoundPane = PaneRef & { session: string; pid: number; tty: string }
type Found = { clients: FoundClient[]; panes: FoundPane[] }

/** Servers inside servers: deeper than anybody nests. */
const MOST_ROUNDS = 8

/** Nobody can look or type there. */
const IS_NO_WAY =
  '#{||:#{||:#{client_control_mode},#{client_readonly}},#{m:*suspended*,#{client_flags}}}'
/** Numbers and ids only, and a terminal, which the kernel names. */
const CLIENT_FORMAT = `client #{client_pid} #{client_activity} #{session_id} #{pane_id} #{client_tty} ${IS_NO_WAY}`
const CLIENT_ROW = /^client (\d+) (\d+) (\$\d+) (%\d+) (\/dev\/\S+) 0$/
const PANE_FORMAT = 'pane #{pane_id} #{session_id} #{pane_pid} #{pane_tty} #{?pane_dead,1,0}'
const PANE_ROW = /^pane (%\d+) (\$\d+) (\d+) (\/dev\/\S+) 0$/

/** Who is attached to these servers, and to the servers whose panes contain those clients. */
export async function lookForNesting(sockets: readonly string[]): Promise<Nesting> {
  const clients: FoundClient[] = []
  const panes: FoundPane[] = []
  const asked = new Set<string>()
  let wanted = new Set(sockets)
  for (let round = 0; round < MOST_ROUNDS && wanted.size > 0; round++) {
    for (const socket of wanted) asked.add(socket)
    const found = await Promise.all([...wanted].map(clientsAndPanes))
    clients.push(...found.flatMap((each) => each.clients))
    panes.push(...found.flatMap((each) => each.panes))
    const around = found.flatMap((each) => each.clients).flatMap(serversAround)
    wanted = new Set(around.filter((socket) => !asked.has(socket)))
  }
  return {
    clients: clients.map((client) => ({ ...client, runsIn: hostOf(client, panes) })),
    sessionsOf: (wanted) =>
      new Set(panes.filter((pane) => isSamePane(pane, wanted)).map(({ session }) => session)),
  }
}

async function clientsAndPanes(socket: string): Promise<Found> {
  const result = await runCommands(socket, [
    ['list-clients', '-F', CLIENT_FORMAT],
    ['list-panes', '-a', '-F', PANE_FORMAT],
  ])
  const lines = result.ok ? result.stdout.split('\n') : []
  const clients = lines.flatMap((line): FoundClient[] => {
    const [, pid, activity, session, shows, name] = CLIENT_ROW.exec(line) ?? []
    if (!session || !shows || !name) return []
    const known = { socket, name, session, shows, activity: Number(activity), pid: Number(pid) }
    return [{ ...known, ancestors: ancestry(Number(pid)) }]
  })
  const panes = lines.flatMap((line): FoundPane[] => {
    const [, id, session, pid, tty] = PANE_ROW.exec(line) ?? []
    return id && session && tty ? [{ socket, id, session, pid: Number(pid), tty }] : []
  })
  return { clients, panes }
}

/**
 * The pane with the client's terminal. In a container the same name means another terminal, so if processes are
 * visible, the pane's own process must be among those that started the client.
 */
function hostOf(client: FoundClient, panes: readonly FoundPane[]): PaneRef | undefined {
  const isVisible = canSeeProcesses()
  const host = panes.find(
    ({ socket, tty, pid }) =>
      socket !== client.socket &&
      tty === client.name &&
      (!isVisible || client.ancestors.includes(pid)),
  )
  return host && { socket: host.socket, id: host.id }
}

/** tmux puts its server into the environment of each process in a pane. */
function serversAround({ ancestors }: FoundClient): string[] {
  return ancestors.flatMap((pid) => {
    const { TMUX: tmux = '' } = environmentOf(pid, ['TMUX'])
    const server = parseTmuxVariable(tmux)
    return server ? [canonicalSocket(server.socket)] : []
  })
}
