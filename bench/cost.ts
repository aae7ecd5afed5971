import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { TMUX } from '../test/support/tmux-server.ts'
import { createPlace, type Place } from './place.ts'
import { cpuTime } from './processes.ts'

/** A place that counts every `tmux` process. The counting itself is part of the cost. */
export async function createCountingPlace(): Promise<{ place: Place; calls(): number }> {
  const place = await createPlace({ pathFirst: 'bin' })
  const file = join(place.dir, 'calls')
  const counting = `#!/bin/sh\nprintf x >>'${file}'\nexec '${TMUX}' "$@"\n`
  mkdirSync(join(place.dir, 'bin'))
  writeFileSync(join(place.dir, 'bin', 'tmux'), counting, { mode: 0o755 })
  return { place, calls: () => statSync(file, { throwIfNoEntry: false })?.size ?? 0 }
}

/** CPU in percent of a core, for a process itself and for the processes it started. */
export async function percentOf(
  pid: number,
  ms: number,
): Promise<{ own: number; children: number }> {
  const [before, startedAt] = [cpuTime(pid), performance.now()]
  await delay(ms)
  const [after, seconds] = [cpuTime(pid), (performance.now() - startedAt) / 1_000]
  return {
    own: ((after.own - before.own) / seconds) * 100,
    children: ((after.children - before.children) / seconds) * 100,
  }
}

export function percent(value: number): string {
  return `${value.toFixed(2)} %`
}
