/** One thing that a loop does. */
export type Step = () => unknown

/** What one of them stumbles over does not keep the next from its work. */
export async function runSteps(
  steps: readonly Step[],
  failed: (error: unknown) => void,
): Promise<void> {
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failed(error)
    }
    await letOthersIn()
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
