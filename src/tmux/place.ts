import type { PaneRef } from '../core/pane.ts'
import { PLAIN_PATH } from '../core/text.ts'
import { runCommands, runTmux } from './exec.ts'

/** What a client shows, by tmux's ids. */
export type ClientView = {
  socket: string
  name: string
  pid: number
  /** The server's pid: a restarted server counts its ids from zero. */
  server: number
  session: string
  window: string
  pane: string
}

/** Where Back goes: a pane, and the tmux session and window that showed it, if they are known. */
export type BackPlace = PaneRef & { within?: string }

/** The pids of the clients that drain, between blanks, so that each can find its own in a format. */
export const DRAINING = '@trailboss_draining'

/** Numbers and ids only; the name is the client's terminal, which the kernel names. */
const VIEW = '#{client_pid} #{pid} #{session_id} #{window_id} #{pane_id} #{client_name}'
const VIEW_ROW = /^(\d+) (\d+) (\$\d+) (@\d+) (%\d+) (\S+)$/
export const LIST_VIEWS = ['list-clients', '-F', VIEW]

export function viewsIn(socket: string, stdout: string): ClientView[] {
  return stdout.split('\n').flatMap((line) => {
    const [, pid, server, session, window, pane, name] = VIEW_ROW.exec(line) ?? []
    if (!session || !window || !pane || !name) return []
    return [{ socket, name, pid: Number(pid), server: Number(server), session, window, pane }]
  })
}

/** Undefined if no such client is attached there. */
export async function viewOf(client: {
  socket: string
  name: string
}): Promise<ClientView | undefined> {
  const listed = await runTmux(client.socket, LIST_VIEWS)
  const views = listed.ok ? viewsIn(client.socket, listed.stdout) : []
  return views.find(({ name }) => name === client.name)
}

export function placeOf({ session, window, pane }: ClientView): string {
  return `${session}:${window}.${pane}`
}

/** The client's next Back goes to that pane, of whichever server. */
export function rememberBack(
  client: Pick<ClientView, 'pid' | 'socket'>,
  from: ClientView | PaneRef,
) {
  const text =
    'window' in from && from.socket === client.socket
      ? placeOf(from)
      : `${'window' in from ? from.pane : from.id} ${from.server ?? 0} ${from.socket}`
  return ['set-option', '-g', `@trailboss_back_${client.pid}`, text]
}

/** The client has come to this pane by Next; a key after this second was pressed there. */
export function rememberArrival(pid: number, pane: string, second: number): string[] {
  return ['set-option', '-g', `@trailboss_at_${pid}`, `${pane} ${second}`]
}

/** It has gone where the operator chose. */
export function forgetArrival(pid: number): string[] {
  return ['set-option', '-gqu', `@trailboss_at_${pid}`]
}

export async function backPlaceOf(client: ClientView): Promise<BackPlace | undefined> {
  const option = `@trailboss_back_${client.pid}`
  const shown = await runTmux(client.socket, ['show-options', '-gqv', option])
  return shown.ok ? backPlaceIn(shown.stdout.trim(), client) : undefined
}

function backPlaceIn(text: string, own: { socket: string; server: number }): BackPlace | undefined {
  const [, within, here] = /^(\$\d+:@\d+)\.(%\d+)$/.exec(text) ?? []
  if (here && within) return { socket: own.socket, server: own.server, id: here, within }
  const [, id, server, socket] = /^(%\d+) (\d+) (\/.*)$/.exec(text) ?? []
  if (!id || !socket || !PLAIN_PATH.test(socket)) return undefined
  return { socket, id, ...(server !== '0' && { server: Number(server) }) }
}

/** Unsets what is remembered of clients that are no longer attached. */
export async function forgetGoneClients(socket: string): Promise<void> {
  const asked = await runCommands(socket, [['show-options', '-g'], LIST_VIEWS])
  if (!asked.ok) return
  const attached = new Set(viewsIn(socket, asked.stdout).map(({ pid }) => pid))
  await forget(socket, asked.stdout, (pid) => !attached.has(pid))
}

export async function forgetAllClients(socket: string): Promise<void> {
  const asked = await runCommands(socket, [['show-options', '-g']])
  if (asked.ok) await forget(socket, asked.stdout, () => true)
  await runCommands(socket, [['set-option', '-gqu', DRAINING]])
}

async function forget(
  socket: string,
  options: string,
  isUnneeded: (pid: number) => boolean,
): Promise<void> {
  const names = [...options.matchAll(/^@trailboss_(?:back|at)_(\d+)(?= |$)/gm)]
  const unneeded = names.filter(([, pid]) => isUnneeded(Number(pid)))
  if (unneeded.length === 0) return
  await runCommands(
    socket,
    unneeded.map(([name]) => ['set-option', '-gqu', name]),
  )
}
