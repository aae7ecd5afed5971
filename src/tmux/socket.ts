import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { PaneRef } from '../core/pane.ts'
import { PLAIN_PATH } from '../core/text.ts'

/**
 * The socket path in `$TMUX`, whose form is `path,server pid,session index`; the index is -1 when a tmux.conf
 * runs it.
 */
export function parseTmuxVariable(tmux: string): { socket: string; server: number } | undefined {
  const [, socket, server] = /^(.+),(\d+),(?:\d+|-1)$/s.exec(tmux) ?? []
  return socket && PLAIN_PATH.test(socket) && server
    ? { socket, server: Number(server) }
    : undefined
}

/** Both halves or nothing: we never guess the server of a pane. */
export function claimedPane(env: Record<string, string | undefined>): PaneRef | undefined {
  const { TMUX: tmux, TMUX_PANE: pane } = env as { TMUX?: string; TMUX_PANE?: string }
  const server = tmux === undefined ? undefined : parseTmuxVariable(tmux)
  if (!server || pane === undefined || !/^%\d{1,9}$/.test(pane)) return undefined
  return { socket: canonicalSocket(server.socket), id: pane, server: server.server }
}

/** One path per server: two spellings would look like two servers with the same panes. */
export function canonicalSocket(path: string): string {
  const plain = resolve(path)
  try {
    return join(realpathSync(dirname(plain)), basename(plain))
  } catch {
    return plain
  }
}

/** The server that a command means: the one it runs in, the configured one, or the user's default. */
export function tmuxSocketFor(configured: string | undefined, env: NodeJS.ProcessEnv): string {
  const inside = parseTmuxVariable(env['TMUX'] ?? '')
  if (inside) return canonicalSocket(inside.socket)
  if (configured) return canonicalSocket(configured)
  const uid = process.getuid?.() ?? 0
  return canonicalSocket(join(env['TMUX_TMPDIR'] || '/tmp', `tmux-${uid}`, 'default'))
}
