import type { HeartbeatView } from '../../../contract/bridge-tools.ts'
import { TrailBossError } from '../../../core/errors.ts'

const RETRY_MS = 5_000

/**
 * Keeps a runtime's token valid while its bridge runs. A beat says nothing about the agent, which may be idle.
 * A refused token never becomes valid again, so the beats end.
 */
export class BridgePulse implements Disposable {
  readonly #beat: () => Promise<HeartbeatView>
  #timer: NodeJS.Timeout | undefined
  #everyMs = RETRY_MS
  #isOver = false

  constructor(beat: () => Promise<HeartbeatView>) {
    this.#beat = beat
  }

  async start(): Promise<void> {
    try {
      this.#everyMs = (await this.#beat()).beatEveryMs
      this.#later(this.#everyMs)
    } catch (error) {
      if (isRefusal(error)) this[Symbol.dispose]()
      else this.#later(Math.min(RETRY_MS, this.#everyMs))
    }
  }

  /** A tool's error may show that the token was refused. */
  notice(error: unknown): void {
    if (isRefusal(error)) this[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #later(ms: number): void {
    if (this.#isOver) return
    this.#timer = setTimeout(() => void this.start(), ms)
    // The agent's end of the pipe decides how long this runs.
    this.#timer.unref()
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof TrailBossError && error.code === 'UNAUTHORIZED'
}
