const CLOSE_LOOK_MS = 300

/** Looks between two sweeps, only while something is expected. */
export class LookTimer implements Disposable {
  readonly #isExpecting: () => boolean
  readonly #look: () => Promise<void>
  #timer: NodeJS.Timeout | undefined

  constructor(isExpecting: () => boolean, look: () => Promise<void>) {
    this.#isExpecting = isExpecting
    this.#look = look
  }

  arm(): void {
    if (this.#timer || !this.#isExpecting()) return
    this.#timer = setTimeout(async () => {
      await this.#look()
      this.#timer = undefined
      this.arm()
    }, CLOSE_LOOK_MS)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}
