import { print } from '../../context/output.ts'

const QUIET_MS = 1_000

/** Takes what is still being typed, until a key comes after a quiet second: that one was meant for this. */
export async function untilRead(): Promise<void> {
  print('Press any key.')
  const { stdin } = process
  stdin.setRawMode(true)
  stdin.resume()
  await new Promise<void>((resolve) => {
    let last = performance.now()
    const take = () => {
      const now = performance.now()
      if (now - last >= QUIET_MS) done()
      last = now
    }
    const done = () => {
      stdin.off('data', take)
      stdin.off('end', done)
      resolve()
    }
    stdin.on('data', take)
    stdin.once('end', done)
  })
  stdin.setRawMode(false)
  stdin.pause()
}
