import type { QueueItem } from '../../src/contract/responses.ts'
import { Line } from '../sessions.ts'

/** The queue from `at` on. */
export type QueueSight = { at: number; items: QueueItem[] }

/** Follows the queue by long polls, so it sees a change as soon as the daemon announces it. */
export class QueueLog implements AsyncDisposable {
  readonly sights: QueueSight[] = []
  readonly #line: Line
  readonly #ended: Promise<void>
  #isOver = false

  constructor(socket: string) {
    this.#line = new Line(socket, 1)
    this.#ended = this.#follow()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    this.#line[Symbol.dispose]()
    await this.#ended
  }

  async #follow(): Promise<void> {
    let version = -1
    while (!this.#isOver) {
      try {
        const view = await this.#line.queue(`?after=${version}&wait=20`)
        this.sights.push({ at: Date.now(), items: view.items })
        version = view.version
      } catch (error) {
        if (!this.#isOver) throw error
      }
    }
  }
}
