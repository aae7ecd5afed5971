import { TrailBossError } from '../../core/errors.ts'

const MOST_PENDING = 500
const MOST_PENDING_OF_ONE = 50
const MOST_BYTES = 64 * 1024 * 1024
const MOST_ASKED = 100
const WINDOW_MS = 10_000

type Held = { bytes: number; decision: { asker: { id: string } } }

/** How much askers may ask at a time. A refused question is not stored. */
export class AskLimits {
  readonly #asked = new Map<string, number[]>()

  /** Throws `TOO_MANY`; otherwise it counts the question. */
  require(asker: string, bytes: number, now: number, held: readonly Held[]): void {
    const ofOne = held.filter(({ decision }) => decision.asker.id === asker).length
    const total = held.reduce((sum, each) => sum + each.bytes, bytes)
    const recent = (this.#asked.get(asker) ?? []).filter((at) => isRecent(at, now))
    if (ofOne >= MOST_PENDING_OF_ONE) {
      throw tooMany(`This asker waits for ${ofOne} answers already.`)
    }
    if (recent.length >= MOST_ASKED) {
      throw tooMany(`This asker asked ${MOST_ASKED} questions within ${WINDOW_MS / 1_000} s.`)
    }
    if (held.length >= MOST_PENDING || total > MOST_BYTES) {
      throw tooMany('More questions are open than Trail Boss can hold.')
    }
    for (const [id, times] of this.#asked) {
      if (!times.some((at) => isRecent(at, now))) this.#asked.delete(id)
    }
    this.#asked.set(asker, [...recent, now])
  }
}

/** A time that is still to come is from before the clock was set back. */
function isRecent(at: number, now: number): boolean {
  return at <= now && now - at < WINDOW_MS
}

function tooMany(message: string): TrailBossError {
  return new TrailBossError('TOO_MANY', message, {
    hint: 'It was not asked. Wait for answers before you ask more.',
  })
}
