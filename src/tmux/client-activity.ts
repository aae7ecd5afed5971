import { type RunCommands, runCommands, runTmux } from './exec.ts'
import { type ClientView, DRAINING, placeOf, rememberArrival, rememberBack } from './place.ts'
import { sourceText } from './source-text.ts'

/** What a client shows, and what its operator does. */
export type ActiveClient = ClientView & {
  /** The seconds of the last key in this client, and in its tmux session. */
  key: number
  sessionKey: number
  /** In copy mode, or in the middle of a key sequence. */
  isBusy: boolean
  /** Somebody types there, and tmux reports which pane it shows. */
  isOperable: boolean
  /** Where its last Next went, and when: `%5 1789000000`; empty if it went elsewhere since. */
  arrival: string
}

export type ClientsLook = { draining: ReadonlySet<number>; clients: ActiveClient[] }

const IS_BUSY = '#{||:#{pane_in_mode},#{!=:#{client_key_table},root}}'
const IS_NO_WAY =
  '#{||:#{||:#{client_control_mode},#{client_readonly}},#{m/r:suspended|active-pane,#{client_flags}}}'
/** Our own control client sees nothing. */
const IS_OURS = '#{m:*no-output*,#{client_flags}}'
const ROW = `c #{client_pid} #{pid} #{session_id} #{window_id} #{pane_id} #{client_activity} #{session_activity} ${IS_BUSY}${IS_NO_WAY}${IS_OURS} #{client_name} #{E:##{@trailboss_at_#{client_pid}#}}`
const CLIENT =
  /^c (\d+) (\d+) (\$\d+) (@\d+) (%\d+) (\d+) (\d+) ([01])([01])0 ([\w/.-]+) ((?:%\d+ \d+)?)$/
const PANE_ROW = /^p (%\d+) (\$\d+)$/

/** Who is attached to a server, and who of them drains. */
export async function lookAtClients(
  socket: string,
  ask: RunCommands,
): Promise<ClientsLook | 'no-server' | 'could-not-observe'> {
  const result = await ask(socket, [
    ['display-message', '-p', `d #{${DRAINING}}`],
    ['list-clients', '-F', ROW],
  ])
  if (!result.ok) return result.kind === 'no-server' ? 'no-server' : 'could-not-observe'
  const lines = result.stdout.split('\n')
  const pids = lines.find((line) => line.startsWith('d '))?.match(/\d+/g) ?? []
  return {
    draining: new Set(pids.map(Number)),
    clients: lines.flatMap((row) => rowOf(socket, row)),
  }
}

function rowOf(socket: string, row: string): ActiveClient[] {
  const [, pid, server, session, window, pane, key, sessionKey, busy, noWay, name, arrival] =
    CLIENT.exec(row) ?? []
  if (!session || !window || !pane || !name || arrival === undefined) return []
  const ids = { socket, name, pid: Number(pid), server: Number(server), session, window, pane }
  const keys = { key: Number(key), sessionKey: Number(sessionKey) }
  const isOperable = noWay === '0' && name.startsWith('/dev/')
  return [{ ...ids, ...keys, isBusy: busy === '1', isOperable, arrival }]
}

export async function setDraining(socket: string, pids: ReadonlySet<number>): Promise<boolean> {
  const command =
    pids.size > 0
      ? ['set-option', '-g', DRAINING, ` ${[...pids].join(' ')} `]
      : ['set-option', '-gqu', DRAINING]
  return (await runCommands(socket, [command])).ok
}

/**
 * The tmux session through which a client can go to a pane without moving anybody else: all clients of a session show
 * the same window. Its own session comes first. Undefined if there is none.
 */
export async function freeSession(
  client: ActiveClient,
  { clients }: ClientsLook,
  pane: string,
  ask: RunCommands,
): Promise<string | undefined> {
  const listed = await ask(client.socket, [
    ['list-panes', '-a', '-F', 'p #{pane_id} #{session_id}'],
  ])
  const rows = listed.ok ? listed.stdout.split('\n').map((line) => PANE_ROW.exec(line)) : []
  const sessions = rows.flatMap((row) => (row?.[1] === pane && row[2] ? [row[2]] : []))
  const others = clients.filter(({ pid, pane: shown }) => pid !== client.pid && shown !== pane)
  return sessions
    .toSorted((a, b) => Number(b === client.session) - Number(a === client.session))
    .find((session) => others.every((other) => other.session !== session))
}

/**
 * Takes the client to a pane of its server if it still shows what it showed in that look and nobody has pressed a key
 * since: tmux checks and switches in one step. Resolves to whether it did.
 */
export async function jumpIfStill(
  client: ActiveClient,
  session: string,
  pane: string,
): Promise<boolean> {
  const { socket, name, sessionKey } = client
  const isShown = `#{m:*#,${name}#,*,#,#{window_active_clients_list}#,}`
  const isStill = `#{&&:#{==:#{session_activity},${sessionKey}},#{&&:#{pane_active},${isShown}}}`
  const commands = [
    ['switch-client', '-Z', '-c', name, '-t', `${session}:.${pane}`],
    rememberBack(client, client),
    rememberArrival(client.pid, pane, client.key),
    ['display-message', '-p', 'moved'],
  ]
  const move = commands.map(sourceText).join(' ; ')
  const done = await runTmux(socket, ['if-shell', '-F', '-t', placeOf(client), isStill, move])
  return done.ok && done.stdout.includes('moved')
}
