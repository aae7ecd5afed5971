import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import type { Paths } from '../config/paths.ts'
import { TrailBossError } from '../core/errors.ts'

/** Makes sure that the home is a directory of ours that nobody else can enter. */
export function prepareHome(paths: Paths): void {
  mkdirSync(paths.home, { recursive: true, mode: 0o700 })
  requirePrivateDirectory(paths.home)
  requireRegularFiles(paths)
  mkdirSync(paths.spool, { recursive: true, mode: 0o700 })
  requirePrivateDirectory(paths.spool)
}

/** A FIFO would block us, a symlink would have us write elsewhere. */
function requireRegularFiles(paths: Paths): void {
  const { database, lock, token, ingestToken, log, pidFile } = paths
  for (const path of [database, lock, token, ingestToken, log, pidFile]) {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat || stat.isFile()) continue
    throw new TrailBossError('UNSAFE_HOME', `${path} is there and is not a regular file.`, {
      hint: 'Move it away; it is not ours.',
    })
  }
}

function requirePrivateDirectory(path: string): void {
  const stat = lstatSync(path)
  if (!stat.isDirectory()) {
    throw new TrailBossError('UNSAFE_HOME', `${path} is not a directory.`, {
      hint: 'Move it away, or set TRAILBOSS_HOME.',
    })
  }
  if (stat.uid !== process.getuid?.()) {
    throw new TrailBossError('UNSAFE_HOME', `${path} belongs to another user.`, {
      hint: 'Set TRAILBOSS_HOME to a directory of your own.',
    })
  }
  if ((stat.mode & 0o077) !== 0) {
    throw new TrailBossError('UNSAFE_HOME', `${path} can be entered by other users.`, {
      hint: `Close it with: chmod 700 '${path}'`,
    })
  }
}

/** Reads the token, or makes one on the first start. */
export function ensureToken(path: string): string {
  try {
    const fd = openSync(
      path,
      constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW,
      0o600,
    )
    writeSync(fd, `${randomBytes(32).toString('hex')}\n`)
    closeSync(fd)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readToken(path)
}

function readToken(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const stat = fstatSync(fd)
    if (stat.uid !== process.getuid?.()) {
      throw new TrailBossError('UNSAFE_HOME', `${path} belongs to another user.`)
    }
    if ((stat.mode & 0o077) !== 0) chmodSync(path, 0o600)
    const token = readFileSync(fd, 'utf8').trim()
    if (/^[0-9a-f]{64}$/.test(token)) return token
    throw new TrailBossError('UNSAFE_HOME', `${path} does not hold a token of ours.`, {
      hint: `Remove it; the next start makes a new one: rm '${path}'`,
    })
  } finally {
    closeSync(fd)
  }
}
