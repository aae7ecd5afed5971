const MOST_MS_AT_ONCE = 2

/** One thing that a loop does. */
export type Step = () => unknown

/** What one of them stumbles over does not keep the next from its work. */
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
    // Most of them are over in no time, and a turn of the event loop costs as much as one of those.
    if (performance.now() - goingSince < MOST_MS_AT_ONCE) continue
    await letOthersIn()
    goingSince = performance.now()
  }
}

/** A run that is not finished when the next is due lets that one go. */
export function loop(ms: number, run: () => Promise<void>): NodeJS.Timeout {
  let running = false
  return setInterval(async () => {
    if (running) return
    running = true
    await run()
    running = false
  }, ms)
}

/** A thousand looks at /proc in one go would hold up every event meanwhile. */
export function letOthersIn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
