/**
 * How many bytes of bodies may be in memory at once. The rest waits, unread, in the sockets of its senders.
 * First come, first served, so that small bodies cannot overtake a large one forever.
 */
export class BodyBudget {
  readonly #total: number
  #free: number
  readonly #waiting: { bytes: number; enter: () => void }[] = []

  constructor(total: number) {
    this.#total = total
    this.#free = total
  }

  /** Resolves when there is room; a body that is larger than the whole budget gets in alone. */
  async take(bytes: number): Promise<Disposable> {
    const share = Math.min(bytes, this.#total)
    if (this.#waiting.length > 0 || share > this.#free) {
      await new Promise<void>((enter) => this.#waiting.push({ bytes: share, enter }))
    } else {
      this.#free -= share
    }
    return { [Symbol.dispose]: () => this.#giveBack(share) }
  }

  #giveBack(bytes: number): void {
    this.#free += bytes
    for (let next = this.#waiting[0]; next && next.bytes <= this.#free; next = this.#waiting[0]) {
      this.#free -= next.bytes
      this.#waiting.shift()
      next.enter()
    }
  }
}
