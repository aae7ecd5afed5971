import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { broken, type Check, ok, warning } from '../../harness/wiring/check.ts'
import type { Surroundings } from './surroundings.ts'

const TOLERANCE_MS = 2_000
const OLDEST_SANE = Date.UTC(2025, 0)

/** One clock stamps events and another stamps files; they must roughly agree. */
export async function clockChecks({ paths, status }: Surroundings): Promise<Check[]> {
  const now = Date.now()
  if (now < OLDEST_SANE) {
    const detail = `it says ${new Date(now).toISOString()}`
    return [broken('clock', detail, 'Set it: timedatectl set-ntp true')]
  }
  const skewMs = Math.max(...[paths.home, tmpdir()].map(fileSkewMs))
  if (skewMs > TOLERANCE_MS) {
    const detail = `files get times that are ${Math.round(skewMs / 1_000)} s off`
    return [
      warning(
        'clock',
        detail,
        'Is the home on another machine? Set TRAILBOSS_HOME to a local one.',
      ),
    ]
  }
  const startedAt = status?.daemon.startedAt ?? 0
  if (startedAt > now + TOLERANCE_MS) {
    const detail = 'it was set back since the daemon started'
    return [warning('clock', detail, 'Ages may be off until: trailboss restart')]
  }
  return [ok('clock', 'files and program agree on the time')]
}

/** The difference between the clock and a new file's time; 0 if no file can be created. */
function fileSkewMs(dir: string): number {
  try {
    const probe = mkdtempSync(join(dir, '.clock-'))
    try {
      const before = Date.now()
      writeFileSync(join(probe, 'now'), '')
      const { mtimeMs } = statSync(join(probe, 'now'))
      // A busy machine may take seconds for this, so any time between the two is right.
      return Math.max(before - mtimeMs, mtimeMs - Date.now(), 0)
    } finally {
      rmSync(probe, { recursive: true, force: true })
    }
  } catch {
    return 0
  }
}
