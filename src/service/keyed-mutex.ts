/** One piece of work at a time for each runtime: the second waits until the first has finished. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  take<T>(runtimeId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(runtimeId) ?? Promise.resolve()
    const mine = before.then(work, work)
    const settled = mine.then(
      () => undefined,
      () => undefined,
    )
    this.#last.set(runtimeId, settled)
    void settled.then(() => {
      if (this.#last.get(runtimeId) === settled) this.#last.delete(runtimeId)
    })
    return mine
  }

  /** Resolves when all work has finished. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values())
  }
}
