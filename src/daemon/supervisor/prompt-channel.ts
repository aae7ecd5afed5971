import { execFile } from 'node:child_process'

/** A program with what it is to be run with: nothing of it goes through a shell. */
export type Command = { argv: readonly string[]; env: NodeJS.ProcessEnv; cwd: string }

/** `refused`: it is certain that the harness has not got it. */
export type HandOver = { kind: 'sent' } | { kind: 'refused' | 'unknown'; why: string }

/** Less than a claim waits to hear of it. */
const TIMEOUT_MS = 6_000

/** Gives a prompt to a harness by its own command. */
export async function handOver(
  { argv, env, cwd }: Command,
  timeoutMs = TIMEOUT_MS,
): Promise<HandOver> {
  const [program = '', ...args] = argv
  return new Promise((resolve) => {
    const options = { env, cwd, timeout: timeoutMs, killSignal: 'SIGKILL' } as const
    const child = execFile(program, args, options, (error) => {
      if (!error) return resolve({ kind: 'sent' })
      // Whoever was not started, or says that it failed, has taken nothing.
      const { code } = error
      if (typeof code === 'number')
        return resolve({ kind: 'refused', why: `it exited with ${code}` })
      if (child.pid === undefined) return resolve({ kind: 'refused', why: `${code}` })
      resolve({ kind: 'unknown', why: 'it did not end in time' })
    })
    child.stdin?.end()
  })
}
