import { setTimeout as delay } from 'node:timers/promises'
import type { DaemonClient } from '../client/daemon-client.ts'
import type { QueueView } from '../contract/responses.ts'

const RETRY_MS = 1_000

type QueueListeners = {
  onQueue(view: QueueView): void
  onLost(error: unknown): void
}

export type QueueFeed = { start(listeners: QueueListeners): Promise<void> }

/** Follows the queue until `signal` aborts. Asks at once, and reports once `start` is called. */
export function followQueue(
  client: Pick<DaemonClient, 'queue' | 'waitForQueue'>,
  signal: AbortSignal,
): QueueFeed {
  const first = client.queue()
  // It is awaited in `start`; until then a failure must not count as unhandled.
  first.catch(() => {})
  return {
    async start(listeners) {
      let ask = () => first
      let version: number | undefined
      while (!signal.aborted) {
        try {
          const askedAt = performance.now()
          const view = await ask()
          if (signal.aborted) return
          listeners.onQueue(view)
          // If a daemon does not hold the request, we must not ask endlessly.
          const isHasty = view.version === version && performance.now() - askedAt < RETRY_MS
          version = view.version
          ask = () => client.waitForQueue(view.version, signal)
          if (isHasty) await pause(signal)
        } catch (error) {
          if (signal.aborted) return
          listeners.onLost(error)
          version = undefined
          ask = () => client.queue()
          await pause(signal)
        }
      }
    },
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await delay(RETRY_MS, undefined, { signal }).catch(() => {})
}
