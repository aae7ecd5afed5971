import { execFileSync } from 'node:child_process'
import { command, type Result } from './command.ts'

/** Our own tmux server, reached only by its socket path. */
export type TmuxServer = {
  socket: string
  pid: number
  /** Its output; throws if tmux refuses. */
  run(...args: string[]): Promise<string>
  try(...args: string[]): Promise<Result>
  stop(): Promise<void>
}

/** Resolved once: a recording `tmux` put first in PATH must not see the tests' own calls. */
export const TMUX = execFileSync('sh', ['-c', 'command -v tmux'], { encoding: 'utf8' }).trim()

export const SCREEN = { width: 160, height: 45 }

/** The first session runs `shellCommand`, in `cwd`. */
export async function startTmuxServer(options: {
  socket: string
  env: NodeJS.ProcessEnv
  session: string
  shellCommand: string
  cwd: string
}): Promise<TmuxServer> {
  const { socket, env, session, shellCommand, cwd } = options
  const attempt = (...args: string[]): Promise<Result> =>
    command(TMUX, ['-S', socket, '-f', '/dev/null', ...args], { env, timeoutMs: 10_000 })
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await attempt(...args)
    if (code !== 0) throw new Error(`tmux ${args.join(' ')} exited ${code}: ${stderr.trim()}`)
    return stdout.replace(/\n$/, '')
  }
  const size = ['-x', String(SCREEN.width), '-y', String(SCREEN.height)]
  const pid = await run(
    ...['new-session', '-d', '-s', session, ...size, '-c', cwd, shellCommand, ';'],
    // A lone Escape reaches the pane at once instead of after half a second.
    ...['set-option', '-s', 'escape-time', '20', ';'],
    // Messages to the operator must remain findable among all the commands that a test runs.
    ...['set-option', '-s', 'message-limit', '100000', ';'],
    ...['display-message', '-p', '#{pid}'],
  )
  return {
    socket,
    pid: Number(pid),
    run,
    try: attempt,
    stop: async () => {
      await attempt('kill-server')
    },
  }
}
