import { TrailBossError } from '../core/errors.ts'
import type { PaneRef } from '../core/event.ts'
import { runTmux, type TmuxResult } from './exec.ts'

/** The tmux client that is to be taken somewhere, on the server it is attached to. */
export type OperatorClient = { socket: string; name: string }

/** The client to move: the one that is named, else the one looking at `pane`'s session, else the last active. */
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

/** Puts the client on the pane: its session, its window, itself. Nothing is typed anywhere. */
export async function jump(client: OperatorClient, pane: PaneRef): Promise<void> {
  const result = await move(client, pane)
  if (result.ok) return
  const gone = /can't find (pane|window|session)/.test(result.stderr)
  throw new TrailBossError(
    gone ? 'PANE_GONE' : 'TMUX_UNREACHABLE',
    gone ? `Pane ${pane.id} is gone.` : `tmux did not take you there: ${said(result)}`,
    {
      hint: gone
        ? 'Press the key again: the queue has moved on.'
        : 'Check it with: trailboss doctor',
    },
  )
}

/** A line in the client's status line, for commands that run from a key. */
export async function showMessage(client: OperatorClient, message: string): Promise<void> {
  // tmux expands formats and then, as a clock would, every %; since 3.4 there is -l for this.
  const literal = message.replaceAll('#', '##').replaceAll('%', '%%')
  await runTmux(client.socket, ['display-message', '-d', '4000', '-c', client.name, literal])
}

async function move(client: OperatorClient, pane: PaneRef): Promise<TmuxResult> {
  const there = await runTmux(pane.socket, [
    'display-message',
    '-p',
    '-t',
    pane.id,
    '#{pid} #{pane_id}',
  ])
  if (!there.ok) return there
  const [server, id] = there.stdout.trim().split(' ')
  // Ids come back after a server restart: the same id may be another pane by now.
  if (id !== pane.id || (pane.server !== undefined && pane.server !== Number(server))) {
    return { ok: false, kind: 'failed', code: 1, stderr: "can't find pane" }
  }
  return client.socket === pane.socket
    ? runTmux(client.socket, ['switch-client', '-Z', '-c', client.name, '-t', pane.id])
    : reattach(client, pane)
}

/** The client leaves its server and its terminal attaches to the other one. */
function reattach(client: OperatorClient, pane: PaneRef): Promise<TmuxResult> {
  const attach = `exec env -u TMUX -u TMUX_PANE tmux -u -S ${quoted(pane.socket)} attach-session -t ${quoted(pane.id)}`
  return runTmux(client.socket, ['detach-client', '-t', client.name, '-E', attach])
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

function said(result: Extract<TmuxResult, { ok: false }>): string {
  return result.stderr.trim() || result.kind
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
