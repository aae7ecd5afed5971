import { TrailBossError } from '../core/errors.ts'
import type { PaneRef } from '../core/pane.ts'
import { displayLine } from '../core/text.ts'
import { lookForNesting } from './attached-clients.ts'
import { runCommands, runTmux, type TmuxResult } from './exec.ts'
import { innermostPane, type Nesting, wayTo } from './nesting.ts'
import {
  type BackPlace,
  type ClientView,
  forgetArrival,
  LIST_VIEWS,
  rememberArrival,
  rememberBack,
  viewOf,
  viewsIn,
} from './place.ts'

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
 * By Next, which goes where the queue says, or by hand, to a place that the operator chose: perhaps in the popup
 * that the client shows, which closes with the move, since until then it would get the operator's keys.
 */
export type JumpBy = 'next' | 'hand' | 'popup'

/**
 * Puts the client on the pane: its session, its window, itself. Types nothing anywhere. For a pane of another
 * server, it goes through a pane that shows a client of that server; only if there is none does the terminal
 * change servers. Resolves to false if such a pane was already in view. Every client that moves remembers where
 * the operator was, for Back.
 */
export async function jump(
  client: OperatorClient,
  pane: BackPlace,
  by: JumpBy = 'hand',
): Promise<boolean> {
  if (client.socket === pane.socket) {
    const views = await requirePane(pane)
    const view = views.find(({ name }) => name === client.name)
    const target = pane.within ? `${pane.within}.${pane.id}` : pane.id
    const remembered = view ? traces(view, view, pane.id, by) : []
    return show(client, target, by === 'popup' ? [...remembered, closePopup(client)] : remembered)
  }
  await requirePane(pane)
  const nesting = await lookForNesting([client.socket, pane.socket])
  const from = await viewOf(client)
  const way = wayTo(pane, client, nesting)
  if (!way) return reattach(client, pane, from, by)
  if (way.every(({ isThere }) => isThere)) return false
  const seen = from && seenBy(from, nesting)
  // From the inside out: if one of them fails, the operator's view has not moved.
  for (const hop of way.toReversed()) {
    const view = await viewOf(hop.client)
    await show(hop.client, hop.pane, view && seen ? traces(view, seen, hop.pane, by) : [])
  }
  return true
}

/** Sets what Back and drain need to know about a client that goes to a pane. */
function traces(
  client: ClientView,
  from: ClientView | PaneRef,
  pane: string,
  by: JumpBy,
): string[][] {
  const isThere = 'window' in from && from.socket === client.socket && from.pane === pane
  const back = isThere ? [] : [rememberBack(client, from)]
  const now = Math.floor(Date.now() / 1_000)
  const { pid } = client
  return [...back, by === 'next' ? rememberArrival(pid, pane, now) : forgetArrival(pid)]
}

function closePopup({ name }: OperatorClient): string[] {
  return ['display-popup', '-C', '-c', name]
}

/** What the operator really sees in this client, which may show another server. */
function seenBy(from: ClientView, nesting: Nesting): ClientView | PaneRef {
  const pane = innermostPane({ socket: from.socket, id: from.pane }, nesting)
  return pane.socket === from.socket ? from : pane
}

/** The pane that the operator sees in `pane`, which may show one of these other servers. */
export async function paneInView(pane: PaneRef, others: readonly string[]): Promise<PaneRef> {
  return innermostPane(pane, await lookForNesting([pane.socket, ...others]))
}

/** Shows a line in the client's status line, for commands that run from a key. */
export function showMessage(client: OperatorClient, message: string): Promise<TmuxResult> {
  // tmux expands formats and then every %, as in a clock; since 3.4 there is -l for this.
  const literal = message.replaceAll('#', '##').replaceAll('%', '%%')
  return runTmux(client.socket, ['display-message', '-d', '4000', '-c', client.name, literal])
}

/** Throws `PANE_GONE`. Returns what the clients of its server show. */
export async function requirePane(pane: PaneRef): Promise<ClientView[]> {
  const there = await runCommands(pane.socket, [
    ['display-message', '-p', '-t', pane.id, '#{pid} #{pane_id}'],
    LIST_VIEWS,
  ])
  if (!there.ok) throw failure(there, pane.id)
  const [first = ''] = there.stdout.split('\n')
  const [server, id] = first.split(' ')
  // A server restart reuses ids: the same id may be another pane by now.
  if (id !== pane.id || (pane.server !== undefined && pane.server !== Number(server))) {
    throw paneGone(pane.id)
  }
  return viewsIn(pane.socket, there.stdout)
}

async function show(client: OperatorClient, target: string, then: string[][]): Promise<true> {
  const shown = ['switch-client', '-Z', '-c', client.name, '-t', target]
  return done(await runCommands(client.socket, [shown, ...then]), target)
}

/** The client leaves its server and its terminal attaches to the other one, as the same process. */
async function reattach(
  client: OperatorClient,
  pane: PaneRef,
  from: ClientView | undefined,
  by: JumpBy,
): Promise<true> {
  const attach = `exec env -u TMUX -u TMUX_PANE tmux -u -S ${quoted(pane.socket)} attach-session -t ${quoted(pane.id)}`
  const left = ['detach-client', '-t', client.name, '-E', attach]
  if (from) {
    const arriving = { ...from, socket: pane.socket }
    await runCommands(pane.socket, traces(arriving, from, pane.id, by))
  }
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
  const client = /can't find client: (.*)/.exec(said)?.[1]
  if (client !== undefined) return unattached(client, 'You stay where you are.')
  return new TrailBossError('TMUX_UNREACHABLE', `tmux did not take you there: ${said}`, {
    hint: 'Check it with: trailboss doctor',
  })
}

/** `left`: what was not done, in a sentence. */
export function unattached(client: string, left: string): TrailBossError {
  const message = `No tmux client "${displayLine(client)}" is attached.`
  return new TrailBossError('NO_CLIENT', message, {
    hint: `${left} tmux list-clients names those that are.`,
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
