import { ADAPTERS } from '../../harness/registry.ts'

/**
 * What a daemon needs from the shell that starts it, as its own process or as a systemd unit. Nothing else is
 * passed on: an API key that happens to be in that shell has no business in a process that runs for weeks.
 */
const NEEDED = [
  /^(HOME|PATH|SHELL|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|TMUX_TMPDIR)$/,
  /^XDG_\w+_(HOME|DIR|DIRS)$/,
  // For notices on the desktop.
  /^(DBUS_SESSION_BUS_ADDRESS|DISPLAY|WAYLAND_DISPLAY)$/,
  /^TRAILBOSS_(HOME|PORT|TMUX_SOCKET|DEBUG)$/,
]

export function daemonEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  // The places of the harnesses' files.
  const theirs = new Set(ADAPTERS.flatMap(({ variables = [] }) => variables))
  const isNeeded = (name: string) =>
    theirs.has(name) || NEEDED.some((pattern) => pattern.test(name))
  const needed = Object.entries(env).filter(([name]) => isNeeded(name))
  return Object.fromEntries(needed.map(([name, value = '']) => [name, value]))
}
