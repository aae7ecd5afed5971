import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { messageOf, TrailBossError } from '../../core/errors.ts'

/** A file that belongs to the user, as it was when it was read. */
export type UserFile = {
  /** The path the user knows; may be a symlink. */
  path: string
  /** The file that holds the bytes. */
  target: string
  /** Undefined if there is no such file. */
  bytes: Buffer | undefined
  mode: number
  owner: { uid: number; gid: number } | undefined
}

export function readUserFile(path: string): UserFile {
  const target = followLinks(path)
  const missing: UserFile = { path, target, bytes: undefined, mode: 0o644, owner: undefined }
  let fd: number
  try {
    // Opening a FIFO would block; the check below reports that it is not a file.
    fd = openSync(target, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return missing
    throw new TrailBossError('BAD_USAGE', `${path} cannot be read: ${messageOf(error)}`)
  }
  try {
    const { mode, uid, gid } = regularFile(fd, path)
    return { path, target, bytes: readFileSync(fd), mode: mode & 0o7777, owner: { uid, gid } }
  } finally {
    closeSync(fd)
  }
}

/**
 * Replaces the bytes at once or not at all. Keeps symlink, mode and owner. Refuses if the file has changed
 * since it was read.
 */
export function writeUserFile(file: UserFile, bytes: Buffer): void {
  requireUnchanged(file)
  const { target, mode, owner } = file
  const temporary = join(dirname(target), temporaryPrefix(target) + randomBytes(6).toString('hex'))
  try {
    const fd = openSync(temporary, 'wx', 0o600)
    try {
      writeFileSync(fd, bytes)
      fsyncSync(fd)
      const made = fstatSync(fd)
      if (owner && (owner.uid !== made.uid || owner.gid !== made.gid)) {
        chownSync(temporary, owner.uid, owner.gid)
      }
      chmodSync(temporary, mode)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw new TrailBossError(
      'NOT_WRITABLE',
      `${file.path} cannot be written: ${messageOf(error)}`,
      {
        cause: error,
      },
    )
  }
}

/**
 * Removes what a killed write left beside the file, and returns it. A leftover younger than a minute may belong
 * to a write in progress.
 */
export function removeLeftovers(path: string): string[] {
  const target = followLinks(path)
  const dir = dirname(target)
  const prefix = temporaryPrefix(target)
  const names = namesIn(dir).filter(
    (name) => name.startsWith(prefix) && /^[\da-f]{12}$/.test(name.slice(prefix.length)),
  )
  return names.map((name) => join(dir, name)).filter(removeIfLeft)
}

/** Replacing the file would bypass the read-only mode that its owner gave it. */
export function requireWritable({ path, target, bytes, mode }: UserFile): void {
  if (bytes === undefined) return
  try {
    accessSync(target, constants.W_OK)
    if ((mode & 0o222) !== 0) return
  } catch {
    // Reported below, whoever the user is.
  }
  throw new TrailBossError('NOT_WRITABLE', `${path} is read-only; nothing was changed.`, {
    hint: `If it is yours to change: chmod u+w '${target}'`,
  })
}

/** Removes the file; a symlink to it stays, as it was before the file existed. */
export function removeUserFile(file: UserFile): void {
  requireUnchanged(file)
  try {
    rmSync(file.target, { force: true })
  } catch (error) {
    throw new TrailBossError(
      'NOT_WRITABLE',
      `${file.path} cannot be removed: ${messageOf(error)}`,
      {
        cause: error,
      },
    )
  }
}

function temporaryPrefix(target: string): string {
  return `.${basename(target)}.trailboss-`
}

function removeIfLeft(path: string): boolean {
  try {
    const stat = lstatSync(path)
    const isOurs = stat.isFile() && stat.uid === process.getuid?.()
    if (!isOurs || Date.now() - stat.mtimeMs < 60_000) return false
    rmSync(path)
    return true
  } catch {
    return false
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

function requireUnchanged(file: UserFile): void {
  const { bytes } = readUserFile(file.path)
  if (bytes === file.bytes || (bytes && file.bytes && bytes.equals(file.bytes))) return
  throw new TrailBossError('CANCELLED', `${file.path} has changed in the meantime.`, {
    hint: 'Nothing was written to it. Run the command again.',
  })
}

/** Unlike realpath, it also follows a link to a file that does not exist yet. */
function followLinks(path: string): string {
  let target = resolve(path)
  for (let hops = 0; hops < 40; hops++) {
    try {
      target = resolve(dirname(target), readlinkSync(target))
    } catch {
      return target
    }
  }
  throw new TrailBossError('BAD_USAGE', `${path} is a symlink that leads in a circle.`)
}

function regularFile(fd: number, path: string): Stats {
  const stat = fstatSync(fd)
  if (stat.isFile()) return stat
  throw new TrailBossError('BAD_USAGE', `${path} is not a regular file.`)
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
