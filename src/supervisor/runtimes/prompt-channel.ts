import { spawn } from 'node:child_process'
import { messageOf } from '../../core/errors.ts'
import { paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { type Mark, markPrefix } from '../../core/supervisor/trigger/mark.ts'
import type { TargetObservation } from '../../core/supervisor/trigger/target-observation.ts'
import { adapterFor } from '../../harness/registry.ts'
import { isRunningWith } from '../../process/command.ts'
import { openFilesUnder } from '../../process/open-files.ts'

/** A program with its arguments and environment: nothing goes through a shell. */
export type Command = { argv: readonly string[]; env: NodeJS.ProcessEnv; cwd: string }

/** `refused`: it is certain that the harness does not have it. */
export type HandOver = { kind: 'sent' } | { kind: 'refused' | 'unknown'; why: string }

/** The harnesses' own channels for giving prompts to runtimes. */
export type PromptChannels = {
  /** Whether its harness has one, as far as we can know before trying. */
  has(runtime: Runtime, text: string): boolean
  handOver(runtime: Runtime, text: string): Promise<HandOver>
  /** Whether it holds a prompt whose hand-over has no known result. */
  evidence(runtime: Runtime, mark: Mark): ChannelEvidence
}

/** `absent`: it does not, and no running command could still put it there. */
export type ChannelEvidence = TargetObservation['inChannel']

export function createPromptChannels(
  commandFor: (runtime: Runtime, text: string) => Command | undefined,
): PromptChannels {
  /** A channel whose result was once unknown is not used again. */
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
    evidence,
  }
}

/** First whether a command still runs: if it has ended, everything it did is in the queue. */
function evidence(runtime: Runtime, mark: Mark): ChannelEvidence {
  const pane = paneIn(runtime)
  const queue = adapterFor(runtime.harness)?.managed?.channelQueue
  const words = markPrefix(mark).trimEnd()
  if (!pane || !queue || isRunningWith(words)) return 'unknown'
  const files = openFilesUnder(pane.pid, queue.isFile)
  try {
    if (files.length === 0) return 'unknown'
    return files.some(({ path }) => queue.holds(path, words)) ? 'held' : 'absent'
  } catch {
    return 'unknown'
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

/** Shorter than a claim waits for its report. */
const TIMEOUT_MS = 6_000
const MOST_STDERR = 16_384

/**
 * Gives a prompt to a harness through its own command. The harness has refused only if it says so itself: a
 * wrapper may fail for reasons of its own while the prompt is on its way.
 */
export async function handOver(
  { argv, env, cwd }: Command,
  timeoutMs = TIMEOUT_MS,
): Promise<HandOver> {
  const [program = '', ...args] = argv
  return new Promise((resolve) => {
    // In its own process group, so that nothing it started can deliver the prompt later.
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
    // It has already exited.
  }
}
