import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** How time passes for an agent: by the clock, or as fast as the person steering it wants. */
export type Pace = {
  pause(ms: number): Promise<void>
  /** Resolves when this turn's work is over and the agent may ask. */
  mayAsk(turn: number): Promise<void>
  animated: boolean
}

export function livePace(): Pace {
  return { pause: (ms) => sleep(ms), mayAsk: async () => {}, animated: true }
}

const POLL_MS = 20

/** Works until the file named by `steerFile` exists. */
export function steeredPace(dir: string, name: string): Pace {
  return {
    pause: async () => {},
    mayAsk: async (turn) => {
      while (!existsSync(steerFile(dir, name, turn))) await sleep(POLL_MS)
    },
    animated: false,
  }
}

function steerFile(dir: string, name: string, turn: number): string {
  return join(dir, `${name}-${turn}`)
}
