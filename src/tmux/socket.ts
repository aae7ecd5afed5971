import { join } from 'node:path'

/** The socket path in `$TMUX`, whose form is `path,server pid,session index`. */
export function parseTmuxVariable(tmux: string): { socket: string; server: number } | undefined {
  const [, socket, server] = /^(\/.+),(\d+),\d+$/s.exec(tmux) ?? []
  return socket && server ? { socket, server: Number(server) } : undefined
}

/** The server that a command means: the one it runs in, the one it was told, or the user's default. */
export function tmuxSocketFor(configured: string | undefined, env: NodeJS.ProcessEnv): string {
  const inside = parseTmuxVariable(env['TMUX'] ?? '')
  if (inside) return inside.socket
  if (configured) return configured
  const uid = process.getuid?.() ?? 0
  return join(env['TMUX_TMPDIR'] || '/tmp', `tmux-${uid}`, 'default')
}
