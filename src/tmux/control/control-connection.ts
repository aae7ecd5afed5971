import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { TrailBossError } from '../../core/errors.ts'
import { requireHarmless } from './control-commands.ts'
import { controlLine } from './control-line.ts'
import { type ControlBlock, createControlParser } from './control-parser.ts'

/** The answer to a command in control mode: its output if it is `ok`, otherwise why tmux refused it. */
export type ControlAnswer = { ok: boolean; lines: string[] }

/** `lines`: how many lines its answer certainly has, if earlier answers determine that. */
type ControlCommand = {
  words: readonly string[]
  lines?: (before: readonly ControlAnswer[]) => number
}

/** Commands that tmux runs in one go. It stops at the first one that fails. */
export type ControlSequence = readonly ControlCommand[]

type Waiting = {
  commands: ControlSequence
  answers: ControlAnswer[]
  answered(answers: ControlAnswer[]): void
  lost(error: TrailBossError): void
}

export type ConnectionParts = {
  socket: string
  timeoutMs: number
  notified(line: Buffer): void
  lost(error: TrailBossError): void
}

const NOT_RUN: ControlAnswer = { ok: false, lines: [] }
const MOST_STDERR = 4_096
const LEAVE_MS = 1_000

/** One process that is attached in control mode, for as long as it lives. */
export class ControlConnection implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #parts: ConnectionParts
  readonly #waiting: Waiting[] = []
  readonly #attached = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<void>()
  #stderr = ''
  #isOver = false

  constructor(child: ChildProcessWithoutNullStreams, parts: ConnectionParts) {
    this.#child = child
    this.#parts = parts
    // Callers that wait for it get the loss; if there are none, the rejection must not count as unhandled.
    this.#attached.promise.catch(() => {})
    const parse = createControlParser({
      begun: () => this.#linesDue(),
      answered: (block) => this.#answered(block),
      passed: (block) => this.#passed(block),
      notified: (line) => this.#notified(line),
    })
    child.stdout.on('data', parse)
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(0, MOST_STDERR)
    })
    child.stdin.on('error', () => {})
    child.on('error', (error) => {
      this.#lose(error.message)
      this.#ended.resolve()
    })
    child.on('exit', (code, signal) => {
      this.#ended.resolve()
      // The server holds the other ends of the pipes, so they may stay open. The last output still counts.
      setImmediate(() => {
        this.#lose(this.#stderr.trim() || (signal ?? `exit ${code}`))
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
      })
    })
  }

  /** Resolves when it is attached. */
  attached(): Promise<void> {
    return this.#inTime(this.#attached.promise)
  }

  /** All in one write. Rejects when the connection is lost or tmux is late, which ends it. */
  async run(sequences: readonly ControlSequence[]): Promise<ControlAnswer[][]> {
    for (const { words } of sequences.flat()) requireHarmless(words)
    const text = sequences
      .map((commands) => controlLine(commands.map(({ words }) => words)))
      .join('')
    if (this.#isOver) throw lossOf(this.#parts.socket, 'it has ended before')
    const answers = sequences.map(
      (commands) =>
        new Promise<ControlAnswer[]>((answered, lost) => {
          this.#waiting.push({ commands, answers: [], answered, lost })
        }),
    )
    if (text !== '') this.#child.stdin.write(text)
    return await this.#inTime(Promise.all(answers))
  }

  /** Detaches, and waits until the process has exited. */
  async close(why: string): Promise<void> {
    this.#lose(why)
    await this.#ended.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close('it was closed')
  }

  #linesDue(): number {
    const [next] = this.#waiting
    return next?.commands[next.answers.length]?.lines?.(next.answers) ?? 0
  }

  #answered({ ok, lines }: ControlBlock): void {
    const [next] = this.#waiting
    if (!next) return
    next.answers.push({ ok, lines: lines.map((line) => line.toString('utf8')) })
    while (!ok && next.answers.length < next.commands.length) next.answers.push(NOT_RUN)
    if (next.answers.length < next.commands.length) return
    this.#waiting.shift()
    next.answered(next.answers)
  }

  #passed({ ok, lines }: ControlBlock): void {
    if (ok) this.#attached.resolve()
    // What the operator's hooks print after that is not about us.
    else this.#attached.reject(lossOf(this.#parts.socket, lines.join(' ')))
  }

  #notified(line: Buffer): void {
    const [exit, reason = 'it was detached'] = /^%exit(?: (.+))?$/.exec(line.toString('utf8')) ?? []
    if (exit === undefined) this.#parts.notified(line)
    else this.#lose(reason)
  }

  async #inTime<T>(result: Promise<T>): Promise<T> {
    const { timeoutMs } = this.#parts
    // A late answer would leave every later one in doubt.
    const late = setTimeout(() => this.#lose(`no answer within ${timeoutMs} ms`), timeoutMs)
    try {
      return await result
    } finally {
      clearTimeout(late)
    }
  }

  #lose(why: string): void {
    if (this.#isOver) return
    this.#isOver = true
    const error = lossOf(this.#parts.socket, why)
    this.#attached.reject(error)
    for (const { lost } of this.#waiting.splice(0)) lost(error)
    this.#child.stdin.end()
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), LEAVE_MS)
    this.#ended.promise.then(() => clearTimeout(kill))
    this.#parts.lost(error)
  }
}

function lossOf(socket: string, why: string): TrailBossError {
  const message = `The control client of the tmux server at ${socket} has ended: ${why}.`
  const hint = 'What it was asked has no answer; connect it again.'
  return new TrailBossError('TMUX_UNREACHABLE', message, { hint })
}
