const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Turns the signals that end a program into an abort signal for its work. */
export class Interruption implements Disposable {
  readonly #abort = new AbortController()
  #exitCode: number | undefined

  constructor() {
    for (const name of signalNames) process.on(name, this.#interrupt)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** What a shell reports for that signal; undefined if there was none. */
  get exitCode(): number | undefined {
    return this.#exitCode
  }

  [Symbol.dispose](): void {
    for (const name of signalNames) process.off(name, this.#interrupt)
  }

  readonly #interrupt = (name: NodeJS.Signals): void => {
    this.#exitCode ??= SIGNALS[name as keyof typeof SIGNALS]
    this.#abort.abort()
  }
}

const signalNames = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]
