import { TrailBossError } from '../core/errors.ts'
import type { PaneRef } from '../core/pane.ts'
import { runCommands, runTmux } from './exec.ts'
import { type OperatorClient, paneGone } from './navigate.ts'

/** What a window shows that the operator asked for: a session that runs in no pane. */
export type WindowView = {
  /** Identifies what it shows; letters, digits, `_`, `-` and `:`. */
  tag: string
  name: string
  cwd: string | null
  argv: readonly string[]
}

/** On the pane, so that it is found again: the operator may press the key twice. */
const TAG = '@trailboss_view'

/**
 * The pane of a new window in the client's session that runs the command, or of the one opened for it before.
 * Nothing is typed into it, nobody's view moves, and the window closes when the command ends. Throws `PANE_GONE` if
 * that is at once.
 */
export async function openViewWindow(client: OperatorClient, view: WindowView): Promise<PaneRef> {
  const open = await paneWithTag(client.socket, view.tag)
  if (open) return open
  const session = await sessionOfClient(client)
  const place = ['-d', '-t', `${session}:`, '-n', windowName(view.name)]
  const command = ['new-window', ...place, ...(view.cwd ? ['-c', view.cwd] : []), '-P', '-F', ID]
  const opened = await runTmux(client.socket, [...command, '--', ...view.argv].map(asOneWord))
  const id = opened.ok ? opened.stdout.trim() : ''
  if (!PANE_ID.test(id)) throw unopened(opened.ok ? 'it named no pane' : opened.stderr.trim())
  const marked = await runCommands(client.socket, [
    ['set-option', '-p', '-t', id, TAG, view.tag],
    ['set-option', '-w', '-t', id, 'remain-on-exit', 'off'],
  ])
  if (!marked.ok) throw paneGone(id)
  return { socket: client.socket, id }
}

const ID = '#{pane_id}'
const PANE_ID = /^%\d+$/

async function paneWithTag(socket: string, tag: string): Promise<PaneRef | undefined> {
  const format = `${ID} #{?pane_dead,1,0} #{${TAG}}`
  const listed = await runTmux(socket, ['list-panes', '-a', '-F', format])
  const rows = listed.ok ? listed.stdout.split('\n').map((line) => line.split(' ')) : []
  const [id] = rows.find(([, isDead, found]) => isDead === '0' && found === tag) ?? []
  return id === undefined ? undefined : { socket, id }
}

async function sessionOfClient({ socket, name }: OperatorClient): Promise<string> {
  const shown = await runTmux(socket, ['display-message', '-p', '-c', name, '#{session_id}'])
  const id = shown.ok ? shown.stdout.trim() : ''
  if (/^\$\d+$/.test(id)) return id
  throw unopened(shown.ok ? 'the client shows no session' : shown.stderr.trim())
}

/** A word that ends in a semicolon would end the command. */
function asOneWord(word: string): string {
  return word.replace(/;$/, '\\;')
}

/** tmux expands formats in a name. */
function windowName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._@/-]+/gu, '-').slice(0, 30) || 'agent'
}

function unopened(why: string): TrailBossError {
  return new TrailBossError('TMUX_UNREACHABLE', `tmux did not open a window for it: ${why}.`, {
    hint: 'Press the key again; `trailboss list` shows what waits.',
  })
}
