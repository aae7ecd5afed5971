import type { ControlClient } from '../control-client.ts'
import { type Look, lookOf } from './screen-look.ts'

/** What the pane looks like from `at` on. */
export type Seen = { at: number; look: Look; screen: string }

/** After this, no frame is half drawn any more. */
const DRAWN_MS = 10
/** In case a frame was missed. */
const LOOK_AGAIN_MS = 250

/**
 * Watches screens: each burst of a pane's output triggers a look at the pane, and a change counts from the
 * first byte of its burst. It reads nothing that the product reads.
 */
export class Witness implements Disposable {
  readonly #control: ControlClient
  readonly #panes = new Map<string, PaneWitness>()
  readonly #stopListening: () => void
  readonly #timer: NodeJS.Timeout

  constructor(control: ControlClient) {
    this.#control = control
    this.#stopListening = control.listen((line) => {
      const pane = /^%output (%\d+) /.exec(line)?.[1]
      if (pane) this.#panes.get(pane)?.drawn()
    })
    this.#timer = setInterval(() => {
      for (const pane of this.#panes.values()) pane.drawn()
    }, LOOK_AGAIN_MS)
  }

  watch(pane: string): PaneWitness {
    const capture = async () =>
      (await this.#control.command(`capture-pane -p -t ${pane}`)).join('\n')
    const witness = this.#panes.get(pane) ?? new PaneWitness(pane, capture)
    this.#panes.set(pane, witness)
    return witness
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#stopListening()
  }
}

export class PaneWitness {
  readonly pane: string
  /** One entry for each change of the look. */
  readonly seen: Seen[] = []
  readonly #capture: () => Promise<string>
  readonly #waiting = new Set<() => void>()
  #latest: Seen | undefined
  #burstAt: number | undefined

  constructor(pane: string, capture: () => Promise<string>) {
    this.pane = pane
    this.#capture = capture
  }

  /** Something was drawn in the pane just now. */
  drawn(): void {
    if (this.#burstAt !== undefined) return
    this.#burstAt = Date.now()
    setTimeout(() => void this.#take(), DRAWN_MS)
  }

  /** Waits until it has this look; resolves at once if it already does. */
  async until(
    what: string,
    isSo: (latest: Seen) => boolean,
    { since = 0, timeoutMs = 60_000 } = {},
  ): Promise<Seen> {
    const deadline = Date.now() + timeoutMs
    while (true) {
      const latest = this.#latest
      if (latest && latest.at >= since && isSo(latest)) return latest
      if (Date.now() > deadline) {
        const screen = (await this.#capture().catch(String)).replaceAll(/\n{3,}/g, '\n…\n')
        throw new Error(`waited ${timeoutMs} ms for ${what}; ${this.pane} shows:\n${screen}`)
      }
      await this.#nextLook()
    }
  }

  #nextLook(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, 500)
      this.#waiting.add(done)
    })
  }

  async #take(): Promise<void> {
    const at = this.#burstAt ?? Date.now()
    this.#burstAt = undefined
    const screen = await this.#capture().catch(() => undefined)
    const look = screen === undefined ? undefined : lookOf(screen)
    if (screen === undefined || look === undefined) return
    const before = this.#latest
    this.#latest = { at, look, screen }
    if (before?.look !== look) this.seen.push(this.#latest)
    for (const done of [...this.#waiting]) done()
  }
}
