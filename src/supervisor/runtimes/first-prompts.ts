import { randomBytes } from 'node:crypto'
import { promptOf } from '../../core/supervisor/trigger/envelope.ts'
import { type Mark, markFrom } from '../../core/supervisor/trigger/mark.ts'

/** Prompts that runtimes were launched with and have not taken yet: until then nothing else may be typed. */
export class FirstPrompts {
  readonly #waiting = new Map<string, { mark: Mark; until: number }>()

  /** Returns the prompt with its own mark. */
  begin(runtimeId: string, text: string, until: number): string {
    const mark = newMark()
    this.#waiting.set(runtimeId, { mark, until })
    return promptOf(mark, text)
  }

  taken(mark: Mark): void {
    for (const [runtimeId, waiting] of this.#waiting) {
      if (waiting.mark === mark) this.#waiting.delete(runtimeId)
    }
  }

  /** The mark of its first prompt, unless we know that it was taken. */
  marksOf(runtimeId: string): Mark[] {
    const waiting = this.#waiting.get(runtimeId)
    return waiting ? [waiting.mark] : []
  }

  isExpected(runtimeId: string, now: number): boolean {
    const waiting = this.#waiting.get(runtimeId)
    if (waiting && now >= waiting.until) this.#waiting.delete(runtimeId)
    return this.#waiting.has(runtimeId)
  }

  forget(runtimeId: string): void {
    this.#waiting.delete(runtimeId)
  }
}

export function newMark(): Mark {
  return markFrom(randomBytes(10))
}
