import type { ReadStream, WriteStream } from 'node:tty'
import { TrailBossError } from '../core/errors.ts'
import { giveUp, type Key, type KeyInput, noInput, patienceOf, readKeys } from './model/keys.ts'
import type { Size } from './model/model.ts'
import { frameDiff } from './view/frame.ts'

/** What the popup needs of a terminal. */
export type Terminal = {
  readonly color: boolean
  size(): Size
  listen(listeners: TerminalListeners): void
  /** Draws a frame of exactly `size()`. */
  draw(lines: string[]): void
  /** Gives the terminal to another program while `work` runs; nothing is read or drawn meanwhile. */
  lend<T>(work: () => Promise<T>): Promise<T>
  /** Restores the terminal. Safe to call twice. */
  close(): void
}

export type TerminalListeners = {
  onKeys(keys: Key[]): void
  onResize(size: Size): void
  /** The terminal is gone, or a signal asks us to exit. */
  onClose(): void
}

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[2J'
const LEAVE = '\u001b[0m\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l'
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The process's own terminal: raw, on the alternate screen, and restored on every way out. */
export function openTerminal(env: NodeJS.ProcessEnv = process.env): Terminal {
  const { stdin, stdout } = process
  if (!stdin.isTTY || !stdout.isTTY) {
    throw new TrailBossError('BAD_USAGE', 'The popup needs a terminal.', {
      hint: 'Without one use: trailboss list',
    })
  }
  return new ProcessTerminal(stdin, stdout, !env['NO_COLOR'])
}

class ProcessTerminal implements Terminal, Disposable {
  readonly color: boolean
  readonly #stdin: ReadStream
  readonly #stdout: WriteStream
  #listeners: TerminalListeners | undefined
  #frame: string[] = []
  #input: KeyInput = noInput
  #patience: NodeJS.Timeout | undefined
  #isOpen = false
  #isLent = false

  constructor(stdin: ReadStream, stdout: WriteStream, color: boolean) {
    this.#stdin = stdin
    this.#stdout = stdout
    this.color = color
    process.on('exit', this.#restore)
    // Before Node prints the error: on the alternate screen nobody would see it.
    process.on('uncaughtExceptionMonitor', this.#restore)
    for (const signal of SIGNALS) process.on(signal, this.#leave)
    stdin.on('end', this.#leave)
    stdin.on('error', this.#leave)
    stdout.on('error', this.#leave)
    stdout.on('resize', this.#resize)
    this.#enter()
  }

  size(): Size {
    return { columns: this.#stdout.columns || 80, rows: this.#stdout.rows || 24 }
  }

  listen(listeners: TerminalListeners): void {
    this.#listeners = listeners
  }

  draw(lines: string[]): void {
    if (!this.#isOpen) return
    const changes = frameDiff(this.#frame, lines)
    if (changes) this.#stdout.write(changes)
    this.#frame = lines
  }

  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#isLent = true
    this.#stdin.off('data', this.#read)
    this.#stdin.pause()
    this.#restore()
    try {
      return await work()
    } finally {
      this.#isLent = false
      if (this.#listeners) {
        this.#enter()
        this.#resize()
      }
    }
  }

  close(): void {
    this.#restore()
    process.off('exit', this.#restore)
    process.off('uncaughtExceptionMonitor', this.#restore)
    for (const signal of SIGNALS) process.off(signal, this.#leave)
    clearTimeout(this.#patience)
    this.#stdin.off('data', this.#read)
    this.#stdin.off('end', this.#leave)
    this.#stdout.off('resize', this.#resize)
    this.#stdin.pause()
    this.#listeners = undefined
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #restore = (): void => {
    if (!this.#isOpen) return
    this.#isOpen = false
    try {
      this.#stdin.setRawMode(false)
      // On a terminal a write is complete when it returns, so it works even while the process exits.
      this.#stdout.write(LEAVE)
    } catch {
      // The terminal is already gone: there is nothing to restore.
    }
  }

  #enter(): void {
    this.#stdin.setRawMode(true)
    this.#stdin.on('data', this.#read)
    this.#stdin.resume()
    this.#isOpen = true
    this.#stdout.write(ENTER)
  }

  /** Ctrl-C in a borrowing program is not for us. */
  #leave = (signal?: unknown): void => {
    if (this.#isLent && signal === 'SIGINT') return
    this.#listeners?.onClose()
  }

  #resize = (): void => {
    if (this.#isLent) return
    this.#frame = []
    this.#stdout.write('\u001b[0m\u001b[2J')
    this.#listeners?.onResize(this.size())
  }

  #read = (chunk: Buffer): void => {
    this.#take(readKeys(this.#input, chunk))
  }

  #take([input, keys]: [KeyInput, Key[]]): void {
    this.#input = input
    clearTimeout(this.#patience)
    const patience = patienceOf(input)
    if (patience !== undefined) {
      this.#patience = setTimeout(() => this.#take(giveUp(this.#input)), patience)
    }
    if (keys.length > 0) this.#listeners?.onKeys(keys)
  }
}
