import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'

export type TmuxResult =
  | { ok: true; stdout: string }
  | {
      ok: false
      kind: 'missing' | 'timeout' | 'no-server' | 'failed'
      stderr: string
      code: number | null
    }

/**
 * Every tmux command goes through here. `socket` undefined means the user's default server, never the one in
 * `$TMUX`. A failure is a value: the caller decides what it means, and only `no-server` shows that nothing
 * runs.
 */
export function runTmux(
  socket: string | undefined,
  args: string[],
  options: { timeoutMs?: number; input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<TmuxResult> {
  const argv = ['-u', ...(socket === undefined ? [] : ['-S', socket]), ...args]
  const settings = {
    // A client whose working directory was removed must not look like "tmux is missing".
    cwd: '/',
    env: environment(options.env ?? process.env),
    timeout: options.timeoutMs ?? 2_000,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024 * 1024,
  } as const
  return new Promise((resolve) => {
    if (argv.some((word) => word.includes('\0'))) {
      return resolve({ ok: false, kind: 'failed', stderr: 'a word has a NUL in it', code: null })
    }
    const child = execFile('tmux', argv, settings, (error, stdout, stderr) => {
      resolve(error === null ? { ok: true, stdout } : failure(error, stderr))
    })
    // tmux may exit before it has read its input; its exit status is enough.
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.input ?? '')
  })
}

/** Runs commands one after the other and stops at the first one that fails. */
export type RunCommands = (
  socket: string,
  commands: readonly (readonly string[])[],
) => Promise<TmuxResult>

/** In one process. */
export const runCommands: RunCommands = (socket, commands) =>
  runTmux(
    socket,
    commands.flatMap((words, index) => [...(index > 0 ? [';'] : []), ...words]),
  )

/** A long-running tmux client, with its input and its output. Use `runTmux` for every other command. */
export function startTmux(socket: string, args: string[]): ChildProcessWithoutNullStreams {
  return spawn('tmux', ['-u', '-S', socket, ...args], {
    cwd: '/',
    env: environment(process.env),
    stdio: 'pipe',
  })
}

/** Gives this process's terminal to a tmux client on that pane; resolves when it detaches. */
export function attachTerminal({ socket, id }: { socket: string; id: string }): Promise<void> {
  const args = ['-u', '-N', '-S', socket, 'attach-session', '-t', id]
  return new Promise((resolve, reject) => {
    const client = spawn('tmux', args, { env: environment(process.env), stdio: 'inherit' })
    client.on('error', reject)
    client.on('exit', () => resolve())
  })
}

function environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // A server started by this call keeps the environment for all its panes.
  const { TMUX: _server, TMUX_PANE: _pane, TRAILBOSS_ROOT: _root, ...rest } = env
  return rest
}

type ExecError = { code?: string | number | null; killed?: boolean; message: string }

function failure(error: ExecError, stderr: string): Extract<TmuxResult, { ok: false }> {
  if (error.code === 'ENOENT') return { ok: false, kind: 'missing', stderr, code: null }
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return { ok: false, kind: 'failed', stderr: error.message, code: null }
  }
  if (error.killed) return { ok: false, kind: 'timeout', stderr, code: null }
  const code = typeof error.code === 'number' ? error.code : null
  return { ok: false, kind: NO_SERVER.test(stderr) ? 'no-server' : 'failed', stderr, code }
}

// tmux does not set LC_MESSAGES, so these are never translated (3.3a, 3.5a, 3.8).
const NO_SERVER =
  /^no server running on |^error connecting to .* \((No such file or directory|Connection refused)\)$/m
