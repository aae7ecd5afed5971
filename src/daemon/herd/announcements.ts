import type { Changes, Entry } from '../../core/session/state.ts'

/** Stored entries, in the order of the log, and what they changed. */
export type News = Required<Changes> & { entries: Entry[] }

export type Listener = (news: News) => void

/**
 * Brings what was stored to every listener: once, in the order of the log, and only after the code that stored
 * it has finished. Listeners only look. Those that answer with entries of their own run after them, and what
 * they store is announced in the next round.
 */
export class Announcements implements Disposable {
  readonly #listeners = new Set<Listener>()
  readonly #answering = new Set<Listener>()
  readonly #failed: (error: unknown) => void
  #news: News | undefined
  #isInforming = false

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  /** Some listeners have the news and some do not, so nothing may be stored now. */
  get isInforming(): boolean {
    return this.#isInforming
  }

  add(changes: Changes, entry?: Entry): void {
    // A microtask comes before any other work, so a request is announced before it is answered.
    if (!this.#news) queueMicrotask(() => this.#announce())
    this.#news ??= noNews()
    const { updated, removed, transitions, revised, entries } = this.#news
    updated.push(...changes.updated)
    removed.push(...changes.removed)
    transitions.push(...changes.transitions)
    revised.push(...(changes.revised ?? []))
    this.#news.affectsQueue ||= changes.affectsQueue
    if (entry) entries.push(entry)
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  answer(listener: Listener): () => void {
    this.#answering.add(listener)
    return () => this.#answering.delete(listener)
  }

  [Symbol.dispose](): void {
    this.#listeners.clear()
    this.#answering.clear()
  }

  #announce(): void {
    const news = this.#news ?? noNews()
    this.#news = undefined
    this.#isInforming = true
    this.#inform(this.#listeners, news)
    this.#isInforming = false
    this.#inform(this.#answering, news)
  }

  /** A listener that fails does not keep the news from others. */
  #inform(listeners: Iterable<Listener>, news: News): void {
    for (const listener of listeners) {
      try {
        listener(news)
      } catch (error) {
        this.#failed(error)
      }
    }
  }
}

export function noNews(): News {
  const lists = { updated: [], removed: [], transitions: [], revised: [], entries: [] }
  return { ...lists, affectsQueue: false }
}
