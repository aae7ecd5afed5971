import type { PaneScreen } from './screens.ts'

/** A pane whose screen a caller wants, and how soon. */
export type CaptureRequest = {
  pane: string
  /** Not before this time, epoch ms. */
  from: number
  /** If a look costs a process, it can wait for others until then. */
  until: number
  /** It does not wait for others. */
  isUrgent: boolean
  /** `seen` is undefined if the pane is gone or tmux did not answer. */
  take(seen: PaneScreen | undefined, askedAt: number): void
}

/** Why a pass happens: it is time, a screen is needed now, or a process starts anyway. */
export type PassReason = 'time' | 'asked' | 'process'

/** Two passes are never closer than this, and a pass waits a little for others that are almost due. */
const BETWEEN_PASSES_MS = 250
const BETWEEN_PROCESSES_MS = 750
const WAIT_FOR_OTHERS_MS = 100
const LONGEST_SLEEP_MS = 60_000

/**
 * Decides when to capture the screens of a server, and which ones. If a look costs a process, captures that are
 * not urgent wait for each other, and for a process that starts anyway.
 */
export class CaptureSchedule implements Disposable {
  readonly #isCheap: () => boolean
  readonly #pass: () => void
  #timer: NodeJS.Timeout | undefined
  #nextProcessAt = 0
  #isClosed = false

  /** `isCheap`: whether a look costs no process. */
  constructor(isCheap: () => boolean, pass: () => void) {
    this.#isCheap = isCheap
    this.#pass = pass
  }

  /** All that are due, once one of them can wait no longer or a pass happens anyway. */
  due(requests: readonly CaptureRequest[], now: number, reason: PassReason): CaptureRequest[] {
    const due = requests.filter(({ from }) => from <= now)
    const isPressing = due.some((one) => this.#pressingAt(one) <= now)
    const isTooSoon = due.every((one) => this.#canWait(one)) && now < this.#nextProcessAt
    const isTime = isPressing && !isTooSoon
    if (!isTime && reason === 'time') return []
    if (isTime || reason === 'asked') this.#nextProcessAt = now + BETWEEN_PROCESSES_MS
    return due
  }

  /** Sets the timer for the earliest one that can wait no longer. */
  arm(requests: readonly CaptureRequest[]): void {
    clearTimeout(this.#timer)
    if (this.#isClosed || requests.length === 0) return
    const earliest = Math.min(...requests.map((one) => Math.min(this.#pressingAt(one), one.until)))
    const canAllWait = requests.every((one) => this.#canWait(one))
    const least = canAllWait ? BETWEEN_PROCESSES_MS : BETWEEN_PASSES_MS
    const ms = Math.max(earliest - Date.now() + WAIT_FOR_OTHERS_MS, least)
    this.#timer = setTimeout(this.#pass, Math.min(ms, LONGEST_SLEEP_MS))
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #pressingAt(one: CaptureRequest): number {
    return this.#canWait(one) ? one.until : one.from
  }

  #canWait({ isUrgent }: CaptureRequest): boolean {
    return !isUrgent && !this.#isCheap()
  }
}
