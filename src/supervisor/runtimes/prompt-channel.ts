import { spawn } from 'node:child_process'
import { messageOf } from '../../core/errors.ts'
import type { Runtime } from '../../core/supervisor/runtime/runtime.ts'

/** A program with what it is to be run with: nothing of it goes through a shell. */
export type Command = { argv: readonly string[]; env: NodeJS.ProcessEnv; cwd: string }

/** `refused`: it is certain that the harness has not got it. */
export type HandOver = { kind: 'sent' } | { kind: 'refused' | 'unknown'; why: string }

/** The channels of their own by which runtimes are given prompts. */
export type PromptChannels = {
  /** Whether its harness has one, as far as can be known before it is tried. */
  has(runtime: Runtime, text: string): boolean
  handOver(runtime: Runtime, text: string): Promise<HandOver>
}

export function createPromptChannels(
  commandFor: (runtime: Runtime, text: string) => Command | undefined,
): PromptChannels {
  /** What once left us in the dark is not asked again. */
  const distrusted = new Set<string>()
  return {
    has(runtime, text) {
      if (distrusted.has(runtime.runtimeId)) return false
      try {
        return commandFor(runtime, text) !== undefined
      } catch {
        return false
      }
    },
    async handOver(runtime, text) {
      const handed = await attempt(() => commandFor(runtime, text))
      if (handed.kind === 'unknown') distrusted.add(runtime.runtimeId)
      return handed
    },
  }
}

async function attempt(commandFor: () => Command | undefined): Promise<HandOver> {
  try {
    const command = commandFor()
    return command ? await handOver(command) : { kind: 'refused', why: 'it has none' }
  } catch (error) {
    return { kind: 'refused', why: messageOf(error) }
  }
}

/** Less than a claim waits to hear of it. */
const TIMEOUT_MS = 6_000
const MOST_STDERR = 16_384

/**
 * Gives a prompt to a harness by its own command. It has refused only where it says that itself: a wrapper
 * may fail for reasons of its own, with the prompt on its way.
 */
export async function handOver(
  { argv, env, cwd }: Command,
  timeoutMs = TIMEOUT_MS,
): Promise<HandOver> {
  const [program = '', ...args] = argv
  return new Promise((resolve) => {
    // In a group of its own, so that nothing that it started can do it later.
    const child = spawn(program, args, {
      env,
      cwd,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < MOST_STDERR) said += text
    })
    const timer = setTimeout(() => {
      killGroup(child.pid)
      resolve({ kind: 'unknown', why: 'it did not end in time' })
    }, timeoutMs)
    const ends = (handed: HandOver) => {
      clearTimeout(timer)
      resolve(handed)
    }
    child.on('error', ({ code }: NodeJS.ErrnoException) => {
      ends({ kind: child.pid === undefined ? 'refused' : 'unknown', why: `${code}` })
    })
    child.on('close', (code, signal) => {
      if (code === 0) return ends({ kind: 'sent' })
      const error = code !== null && errorIn(said)
      const why = `it ended with ${code ?? signal}${error ? `: ${error}` : ''}`
      ends({ kind: error ? 'refused' : 'unknown', why })
    })
  })
}

function errorIn(stderr: string): string | undefined {
  return /^error: (.*)$/im.exec(stderr)?.[1]?.slice(0, 200)
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It was quicker.
  }
}
