const ENDINGS = ['SIGHUP', 'SIGTERM'] as const

/** Cleans up at the end of the scope, and before a signal ends the program. */
export function beforeEnding(cleanUp: () => void): Disposable {
  const stop = () => {
    for (const signal of ENDINGS) process.off(signal, endOn)
    cleanUp()
  }
  const endOn = (signal: NodeJS.Signals) => {
    stop()
    process.kill(process.pid, signal)
  }
  for (const signal of ENDINGS) process.on(signal, endOn)
  return { [Symbol.dispose]: stop }
}
