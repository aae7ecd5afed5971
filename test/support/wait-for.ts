import { inspect } from 'node:util'

export type WaitOptions<T> = {
  /** What we wait for, as part of the failure message: "the queue to be empty". */
  what: string
  /** Default: the value is truthy. */
  until?: (value: T) => boolean
  timeoutMs?: number
}

/** Looks until it sees what it waits for; the failure shows what it saw last. */
export async function waitFor<T>(
  observe: () => T | Promise<T>,
  { what, until = Boolean, timeoutMs = 30_000 }: WaitOptions<T>,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.3, 120)) {
    const seen = await attempt(observe)
    if (seen.ok && until(seen.value)) return seen.value
    if (Date.now() > deadline) {
      const last = seen.ok ? inspect(seen.value, { depth: 6 }) : `an error: ${seen.error}`
      throw new Error(`waited ${timeoutMs} ms for ${what}; last seen: ${last}`)
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Acts, and acts again whenever this time passes without the effect: a busy program may lose a key. */
export async function actUntil(
  act: () => unknown,
  isSeen: () => boolean | Promise<boolean>,
  { againMs = 4_000, ...wait }: { what: string; againMs?: number | undefined; timeoutMs?: number },
): Promise<void> {
  await act()
  let actedAt = Date.now()
  const look = async () => {
    const lookedAt = Date.now()
    if (await isSeen()) return true
    // A capture from before the act had time to work proves nothing, however late it is read.
    if (lookedAt - actedAt > againMs) {
      await act()
      actedAt = Date.now()
    }
    return false
  }
  await waitFor(look, wait)
}

async function attempt<T>(
  observe: () => T | Promise<T>,
): Promise<{ ok: true; value: T } | { ok: false; error: unknown }> {
  try {
    return { ok: true, value: await observe() }
  } catch (error) {
    return { ok: false, error }
  }
}
