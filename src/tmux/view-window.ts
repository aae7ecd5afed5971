import { createHash } from 'node:crypto'
import { TrailBossError } from '../core/errors.ts'
import type { PaneRef } from '../core/pane.ts'
import { runTmux } from './exec.ts'
import { type OperatorClient, paneGone } from './navigate.ts'
import { type ClientView, rememberBack, viewOf } from './place.ts'
import { sourceText } from './source-text.ts'

/** What a window shows that the operator asked for: a session that runs in no pane. */
export type WindowView = { tag: string; name: string; cwd: string | null; argv: readonly string[] }

/** On the pane, so that it is found again: the operator may press the key twice. */
const TAG = '@trailboss_view'

/** Identifies what a window shows, in letters and digits: it becomes part of a format. */
export function viewTag(harness: string, session: string): string {
  return createHash('sha256').update(`${harness}:${session}`).digest('hex').slice(0, 24)
}

/**
 * The pane of a new window in the client's session that runs the command, or of the one opened for it before.
 * Nothing is typed into it. The window closes with its command, unless that fails soon: then it shows why. Throws
 * `PANE_GONE` if it is closed already.
 */
export async function openViewWindow(client: OperatorClient, view: WindowView): Promise<PaneRef> {
  const from = await viewOf(client)
  if (!from) throw unopened('the client is not attached')
  const opened = await runTmux(client.socket, ['source-file', '-'], { input: script(from, view) })
  if (!opened.ok) throw unopened(opened.stderr.trim() || opened.kind)
  const pane = await paneWithTag(client.socket, view.tag)
  if (pane) return pane
  throw paneGone('of its window')
}

/** The tag of what the pane was opened for; undefined for any other pane. */
export async function viewIn({ socket, id }: PaneRef): Promise<string | undefined> {
  const shown = await runTmux(socket, ['display-message', '-p', '-t', id, `#{${TAG}}`])
  return (shown.ok && shown.stdout.trim()) || undefined
}

/** One run of tmux's command queue, so that two presses of a key make one window. */
function script(from: ClientView, { tag, name, cwd, argv }: WindowView): string {
  const at = `${from.session}:`
  const isOpen = `#{S:#{W:#{P:#{?pane_dead,,#{?#{==:#{${TAG}},${tag}},1,}}}}}`
  const command = ['--', '/bin/sh', '-c', RUN, 'sh', cwd ?? '', ...argv]
  return [
    `${sourceText(['if-shell', '-F', isOpen])} {} {`,
    // The new window is in view at once.
    sourceText(rememberBack(from, from)),
    sourceText(['new-window', '-t', at, '-n', windowName(name), ...command]),
    sourceText(['set-option', '-p', '-t', at, TAG, tag]),
    sourceText(['set-option', '-w', '-t', at, 'remain-on-exit', 'off']),
    '}',
    '',
  ].join('\n')
}

/** tmux would expand formats in a directory that is given to it. An error stays readable until it was seen. */
const RUN = `[ -d "$1" ] && cd -- "$1"; shift
began=$(date +%s)
"$@" && exit
code=$?
[ $(($(date +%s) - began)) -lt 5 ] || exit $code
printf '\\n%s\\n' "It ended at once, with exit code $code. Press Enter to close this window."
read -r _`

async function paneWithTag(socket: string, tag: string): Promise<PaneRef | undefined> {
  const format = `#{pane_id} #{?pane_dead,1,0} #{${TAG}}`
  const listed = await runTmux(socket, ['list-panes', '-a', '-F', format])
  const rows = listed.ok ? listed.stdout.split('\n').map((line) => line.split(' ')) : []
  const [id] = rows.find(([, isDead, found]) => isDead === '0' && found === tag) ?? []
  return id === undefined ? undefined : { socket, id }
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
