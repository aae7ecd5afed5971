import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { messageOf, TrailBossError } from '../core/errors.ts'

/** A token, and why its file had to be made anew, if so. */
export type TokenFile = { token: string; exposed: string | undefined }

/**
 * Reads the token, or makes one on the first start. One that somebody else may have read or written is
 * worth nothing: it is replaced.
 */
export function ensureToken(path: string): TokenFile {
  const found = lstatSync(path, { throwIfNoEntry: false })
  const exposed = found && exposureOf(found)
  if (exposed !== undefined) removeExposed(path, exposed)
  createIfMissing(path)
  return { token: readToken(path), exposed }
}

/** Why a token file is not for its owner alone. */
export function exposureOf(stat: Stats): string | undefined {
  if (!stat.isFile()) return 'is not a regular file'
  if (stat.uid !== process.getuid?.()) return 'belongs to another user'
  if ((stat.mode & 0o077) === 0) return undefined
  return `is open to other users (mode ${(stat.mode & 0o777).toString(8)})`
}

function removeExposed(path: string, exposed: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    throw new TrailBossError(
      'UNSAFE_HOME',
      `${path} ${exposed} and cannot be removed: ${messageOf(error)}`,
      { hint: 'Move it away; the next start makes a new one.' },
    )
  }
}

function createIfMissing(path: string): void {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants
  try {
    const fd = openSync(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600)
    writeSync(fd, `${randomBytes(32).toString('hex')}\n`)
    closeSync(fd)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function readToken(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const exposed = exposureOf(fstatSync(fd))
    if (exposed !== undefined) throw new TrailBossError('UNSAFE_HOME', `${path} ${exposed}.`)
    const token = readFileSync(fd, 'utf8').trim()
    if (/^[0-9a-f]{64}$/.test(token)) return token
    throw new TrailBossError('UNSAFE_HOME', `${path} does not hold a token of ours.`, {
      hint: `Remove it; the next start makes a new one: rm '${path}'`,
    })
  } finally {
    closeSync(fd)
  }
}
