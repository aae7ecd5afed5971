import { TrailBossError } from '../core/errors.ts'
import type { PaneRef } from '../core/pane.ts'
import { lookForNesting } from './attached-clients.ts'
import { runTmux, type TmuxResult } from './exec.ts'
import { innermostPane, wayTo } from './nesting.ts'

/** The tmux client to move, on the server it is attached to. */
export type OperatorClient = { socket: string; name: string }

/** The client to move: the named one, else the one looking at `pane`'s session, else the last active. */
export async function findClient(
  socket: string,
  hints: { client?: string; pane?: string },
): Promise<OperatorClient> {
  if (hints.client) return { socket, name: hints.client }
  const session = hints.pane ? await sessionOf(socket, hints.pane) : undefined
  const near = session ? await mostActiveClient(socket, ['-t', session]) : undefined
  const name = near ?? (await mostActiveClient(socket, []))
  if (name) return { socket, name }
  throw new TrailBossError('NO_CLIENT', 'No tmux client is attached that could be taken there.', {
    hint: `Attach one first: tmux -S '${socket}' attach`,
  })
}

/**
 * Puts the client on the pane: its session, its window, itself. Types nothing anywhere. For a pane of another
 * server, it goes through a pane that shows a client of that server; only if there is none does the terminal
 * change servers. Resolves to false if such a pane was already in view.
 */
export async function jump(client: OperatorClient, pane: PaneRef): Promise<boolean> {
  await requirePane(pane)
  if (client.socket === pane.socket) return show(client, pane.id)
  const way = wayTo(pane, client, await lookForNesting([client.socket, pane.socket]))
  if (!way) return reattach(client, pane)
  if (way.every(({ isThere }) => isThere)) return false
  // From the inside out: if one of them fails, the operator's view has not moved.
  for (const hop of way.toReversed()) await show(hop.client, hop.pane)
  return true
}

/** The pane that the operator sees in `pane`, which may show one of these other servers. */
export async function paneInView(pane: PaneRef, others: readonly string[]): Promise<PaneRef> {
  return innermostPane(pane, await lookForNesting([pane.socket, ...others]))
}

/** Shows a line in the client's status line, for commands that run from a key. */
export async function showMessage(client: OperatorClient, message: string): Promise<void> {
  // tmux expands formats and then every %, as in a clock; since 3.4 there is -l for this.
  const literal = message.replaceAll('#', '##').replaceAll('%', '%%')
  await runTmux(client.socket, ['display-message', '-d', '4000', '-c', client.name, literal])
}

/** Throws `PANE_GONE`. */
export async function requirePane(pane: PaneRef): Promise<void> {
  const format = '#{pid} #{pane_id}'
  const there = await runTmux(pane.socket, ['display-message', '-p', '-t', pane.id, format])
  if (!there.ok) throw failure(there, pane.id)
  const [server, id] = there.stdout.trim().split(' ')
  // A server restart reuses ids: the same id may be another pane by now.
  if (id === pane.id && (pane.server === undefined || pane.server === Number(server))) return
  throw paneGone(pane.id)
}

async function show(client: OperatorClient, pane: string): Promise<true> {
  const shown = ['switch-client', '-Z', '-c', client.name, '-t', pane]
  return done(await runTmux(client.socket, shown), pane)
}

/** The client leaves its server and its terminal attaches to the other one. */
async function reattach(client: OperatorClient, pane: PaneRef): Promise<true> {
  const attach = `exec env -u TMUX -u TMUX_PANE tmux -u -S ${quoted(pane.socket)} attach-session -t ${quoted(pane.id)}`
  const left = ['detach-client', '-t', client.name, '-E', attach]
  return done(await runTmux(client.socket, left), pane.id)
}

function done(result: TmuxResult, pane: string): true {
  if (result.ok) return true
  throw failure(result, pane)
}

function failure(result: Extract<TmuxResult, { ok: false }>, pane: string): TrailBossError {
  const isGone =
    result.kind === 'no-server' || /can't find (pane|window|session)/.test(result.stderr)
  if (isGone) return paneGone(pane)
  const said = result.stderr.trim() || result.kind
  return new TrailBossError('TMUX_UNREACHABLE', `tmux did not take you there: ${said}`, {
    hint: 'Check it with: trailboss doctor',
  })
}

export function paneGone(pane: string): TrailBossError {
  return new TrailBossError('PANE_GONE', `Pane ${pane} is gone.`, {
    hint: 'Press the key again: the queue has moved on.',
  })
}

async function sessionOf(socket: string, pane: string): Promise<string | undefined> {
  const result = await runTmux(socket, ['display-message', '-p', '-t', pane, '#{session_id}'])
  const id = result.ok ? result.stdout.trim() : ''
  return /^\$\d+$/.test(id) ? id : undefined
}

async function mostActiveClient(socket: string, target: string[]): Promise<string | undefined> {
  const format = '#{client_activity} #{client_control_mode} #{client_name}'
  const result = await runTmux(socket, ['list-clients', ...target, '-F', format])
  if (!result.ok) return undefined
  const clients = result.stdout
    .split('\n')
    .map((line) => /^(\d+) 0 (\S+)$/.exec(line))
    .flatMap((match) => (match ? [{ activity: Number(match[1]), name: match[2] ?? '' }] : []))
  return clients.toSorted((a, b) => b.activity - a.activity)[0]?.name
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
