import { lstatSync, mkdirSync } from 'node:fs'
import type { Paths } from '../../config/paths.ts'
import { requireSafePlace } from '../../config/safe-place.ts'
import { TrailBossError } from '../../core/errors.ts'

/** Makes sure that the home is a directory of ours that nobody else can enter or replace. */
export function prepareHome(paths: Paths): void {
  requireSafePlace(paths.home)
  mkdirSync(paths.home, { recursive: true, mode: 0o700 })
  requirePrivateDirectory(paths.home)
  requireRegularFiles(paths)
  mkdirSync(paths.spool, { recursive: true, mode: 0o700 })
  requirePrivateDirectory(paths.spool)
}

/** A FIFO would block us, a symlink would make us write elsewhere. */
function requireRegularFiles(paths: Paths): void {
  const { database, lock, log, pidFile } = paths
  for (const path of [database, lock, log, pidFile]) {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat || stat.isFile()) continue
    throw unsafe(`${path} is there and is not a regular file.`, 'Move it away; it is not ours.')
  }
}

function requirePrivateDirectory(path: string): void {
  const stat = lstatSync(path)
  if (!stat.isDirectory()) {
    throw unsafe(`${path} is not a directory.`, 'Move it away, or set TRAILBOSS_HOME.')
  }
  if (stat.uid !== process.getuid?.()) {
    const hint = 'Set TRAILBOSS_HOME to a directory of your own.'
    throw unsafe(`${path} belongs to another user.`, hint)
  }
  if ((stat.mode & 0o077) !== 0) {
    throw unsafe(`${path} can be entered by other users.`, `Close it with: chmod 700 '${path}'`)
  }
}

function unsafe(message: string, hint: string): TrailBossError {
  return new TrailBossError('UNSAFE_HOME', message, { hint })
}
