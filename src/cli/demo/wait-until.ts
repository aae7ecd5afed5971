import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { messageOf } from '../../core/errors.ts'

export type Wait<T> = {
  /** What we wait for, as the rest of a sentence: "the queue to be empty". */
  what: string
  until: (seen: T) => boolean
  deadlineMs?: number
  signal?: AbortSignal | undefined
}

const POLL_MS = 20

/** Looks until it sees what it waits for; the error contains what it saw last. */
export async function waitUntil<T>(observe: () => T | Promise<T>, wait: Wait<T>): Promise<T> {
  const { what, until, deadlineMs = 10_000, signal } = wait
  const deadline = performance.now() + deadlineMs
  let last = 'nothing'
  while (true) {
    signal?.throwIfAborted()
    try {
      const seen = await observe()
      if (until(seen)) return seen
      last = typeof seen === 'string' ? seen : inspect(seen, { depth: 4, breakLength: 100 })
    } catch (error) {
      last = messageOf(error)
    }
    if (performance.now() > deadline) {
      throw new Error(`waited ${deadlineMs / 1_000} s for ${what}; last seen: ${last}`)
    }
    await sleep(POLL_MS)
  }
}
