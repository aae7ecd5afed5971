import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { redacted } from '../../core/redact/redaction.ts'
import { displayLine, truncate } from '../../core/text.ts'
import { failed, SENT, type SendResult } from './sender.ts'

const KEPT_CHARS = 2_000
const WHY_CHARS = 300
const LAST_WORDS_MS = 500

export type ProgramOptions = {
  input?: string
  env: NodeJS.ProcessEnv
  timeoutMs: number
}

/**
 * Runs a program without a shell, in a process group of its own that survives us. What it prints is read and thrown
 * away, except the end, which explains a failure. After the timeout the whole group is killed.
 */
export function runProgram(argv: readonly string[], options: ProgramOptions): Promise<SendResult> {
  const [program = '', ...args] = argv
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: options.env,
      // A directory that was removed must not look like a missing program.
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    // Without a free file descriptor there are none.
    const { stdin, stdout, stderr }: Partial<typeof child> = child
    const streams = [stdin, stdout, stderr].filter((stream) => stream != null)
    let said = ''
    const hear = (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-KEPT_CHARS)
    }
    const settle = (result: SendResult) => {
      clearTimeout(deadline)
      resolve(result)
      // Something that it left in the background may hold these open.
      for (const stream of streams) stream.destroy()
    }
    const deadline = setTimeout(() => {
      if (child.pid !== undefined) killGroup(child.pid)
      settle(failed(`${program} did not end within ${options.timeoutMs / 1_000} s, and was killed`))
    }, options.timeoutMs)
    child.on('error', (error: NodeJS.ErrnoException) => {
      settle(failed(error.code === 'ENOENT' ? `there is no program ${program}` : error.message))
    })
    child.on('exit', (code, signal) => {
      if (code === 0) return settle(SENT)
      const fail = () => settle(failed(ending(program, code, signal, said)))
      // What it printed last arrives after its end.
      const late = setTimeout(fail, LAST_WORDS_MS)
      child.on('close', () => {
        clearTimeout(late)
        fail()
      })
    })
    // It need not read its input.
    for (const stream of streams) stream.on('error', () => {})
    stdout?.on('data', hear)
    stderr?.on('data', hear)
    stdin?.end(options.input ?? '')
    // The daemon does not wait for it when it ends.
    child.unref()
    for (const stream of streams) (stream as Socket).unref()
  })
}

function ending(program: string, code: number | null, signal: string | null, said: string): string {
  const how = code === null ? `was ended by ${signal}` : `exited with ${code}`
  const last = displayLine(redacted(said).trim().split('\n').slice(-3).join(' · '))
  return `${program} ${how}${last ? `: ${truncate(last, WHY_CHARS)}` : ''}`
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}
