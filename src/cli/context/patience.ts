import { setTimeout as delay } from 'node:timers/promises'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { note } from './output.ts'

const LONGEST_SILENCE_MS = 60_000
const PAUSE_MS = 500

/**
 * Asks again while the daemon is busy or being restarted, at most until `until` on the clock of `performance.now()`.
 * `kept` says what is safe meanwhile.
 */
export async function patiently<Answer>(
  ask: () => Promise<Answer>,
  kept: string,
  until = Number.POSITIVE_INFINITY,
): Promise<Answer> {
  let hasSaid = false
  let deadline = until
  while (true) {
    try {
      return await ask()
    } catch (error) {
      if (!isSilence(error)) throw error
      if (!hasSaid) {
        deadline = Math.min(performance.now() + LONGEST_SILENCE_MS, until)
        note(`${messageOf(error)} ${kept} Waiting for the daemon …`)
      }
      hasSaid = true
      const left = deadline - performance.now()
      if (left <= 0)
        throw new TrailBossError(error.code, `${error.message} ${kept}`, {
          hint: 'Start it with: trailboss up',
          cause: error,
        })
      await delay(Math.min(PAUSE_MS, left))
    }
  }
}

/** Whether nobody answered. */
export function isSilence(error: unknown): error is TrailBossError {
  if (!(error instanceof TrailBossError)) return false
  return error.code === 'DAEMON_HUNG' || error.code === 'DAEMON_DOWN'
}
