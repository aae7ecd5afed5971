import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { TMUX } from '../test/support/tmux-server.ts'

type Waiting = { resolve(lines: string[]): void; reject(error: Error): void; lines: string[] }

// tmux 3.3a may send a notification in the middle of a command's output; pane ids may appear there, too.
const NOTIFICATION =
  /^%(client|continue|exit|extended-output|layout|output|pane|pause|session|sessions|subscription|unlinked|window)\b/

/** One control-mode client: a command costs a fraction of a process, and tmux reports changes by itself. */
export class ControlClient implements Disposable {
  readonly #process: ChildProcessWithoutNullStreams
  readonly #waiting: Waiting[] = []
  readonly #listeners = new Set<(line: string) => void>()
  #answering: Waiting | undefined
  #isInForeignBlock = false
  #rest = ''

  constructor(socket: string, session: string, options: { env: NodeJS.ProcessEnv; flags: string }) {
    const flags = ['-f', options.flags]
    this.#process = spawn(
      TMUX,
      ['-u', '-C', '-S', socket, 'attach-session', '-t', session, ...flags],
      {
        env: options.env,
      },
    )
    this.#process.stdout.setEncoding('utf8')
    this.#process.stdout.on('data', (text: string) => this.#take(text))
    this.#process.stdin.on('error', () => {})
    this.#process.on('exit', () => {
      for (const { reject } of this.#waiting) reject(new Error('the control client ended'))
    })
  }

  /** Resolves to the command's output lines. */
  command(line: string): Promise<string[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject, lines: [] })
      this.#process.stdin.write(`${line}\n`)
    })
  }

  /** Resolves to the arrival time of the first notification for which `test` is true. */
  notified(test: (line: string) => boolean, timeoutMs = 5_000): Promise<number> {
    return new Promise((resolve, reject) => {
      const listener = (line: string) => {
        if (!test(line)) return
        const at = performance.now()
        finish()
        resolve(at)
      }
      const late = setTimeout(() => {
        finish()
        reject(new Error(`tmux did not tell of it within ${timeoutMs} ms`))
      }, timeoutMs)
      const finish = () => {
        clearTimeout(late)
        this.#listeners.delete(listener)
      }
      this.#listeners.add(listener)
    })
  }

  /** Passes every notification to the listener until the returned function is called. */
  listen(listener: (line: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  [Symbol.dispose](): void {
    this.#process.stdin.end()
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#line(line)
  }

  #line(line: string): void {
    const [word, , , flags] = line.split(' ', 4)
    if (word === '%begin') {
      if (flags === '1') this.#answering = this.#waiting.shift()
      else this.#isInForeignBlock = true
    } else if (word === '%end' || word === '%error') {
      this.#isInForeignBlock = false
      const answered = this.#answering
      this.#answering = undefined
      if (word === '%end') answered?.resolve(answered.lines)
      else answered?.reject(new Error(`tmux: ${answered.lines.join(' ')}`))
    } else if (NOTIFICATION.test(line)) {
      for (const listener of this.#listeners) listener(line)
    } else if (!this.#isInForeignBlock) {
      this.#answering?.lines.push(line)
    }
  }
}

/** The text in a `%output` notification. */
export function outputOf(line: string): { pane: string; text: string } | undefined {
  const [, pane, escaped] = /^%output (%\d+) (.*)$/s.exec(line) ?? []
  if (!pane || escaped === undefined) return undefined
  const text = escaped.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  )
  return { pane, text }
}
