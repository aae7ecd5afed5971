import { setTimeout as delay } from 'node:timers/promises'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { note } from './output.ts'

const LONGEST_SILENCE_MS = 60_000
const PAUSE_MS = 500

/** Asks again while the daemon is busy or being restarted. `kept` says what is safe meanwhile. */
export async function patiently<Answer>(ask: () => Promise<Answer>, kept: string): Promise<Answer> {
  let hasSaid = false
  const deadline = performance.now() + LONGEST_SILENCE_MS
  while (true) {
    try {
      return await ask()
    } catch (error) {
      if (!isSilence(error)) throw error
      if (!hasSaid) note(`${messageOf(error)} ${kept} Waiting for the daemon …`)
      hasSaid = true
      if (performance.now() >= deadline)
        throw new TrailBossError(error.code, `${error.message} ${kept}`, {
          hint: 'Start it with: trailboss up',
          cause: error,
        })
      await delay(PAUSE_MS)
    }
  }
}

function isSilence(error: unknown): error is TrailBossError {
  if (!(error instanceof TrailBossError)) return false
  return error.code === 'DAEMON_HUNG' || error.code === 'DAEMON_DOWN'
}
