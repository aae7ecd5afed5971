const MOST_MS_AT_ONCE = 2

/** One thing that a loop does. */
export type Step = () => unknown

/** Runs every step, even if one before it fails. */
export async function runSteps(
  steps: readonly Step[],
  failed: (error: unknown) => void,
): Promise<void> {
  let goingSince = performance.now()
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failed(error)
    }
    // Most steps take no time, and a turn of the event loop costs as much as one of them.
    if (performance.now() - goingSince < MOST_MS_AT_ONCE) continue
    await letOthersIn()
    goingSince = performance.now()
  }
}

/** Skips a run if the previous one has not finished. */
export function loop(ms: number, run: () => Promise<void>): NodeJS.Timeout {
  let running = false
  return setInterval(async () => {
    if (running) return
    running = true
    await run()
    running = false
  }, ms)
}

/** A thousand looks at /proc in one go would delay every event in the meantime. */
export function letOthersIn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
