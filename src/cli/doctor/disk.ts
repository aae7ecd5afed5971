import { randomBytes, randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { broken, type Check, ok, warning } from '../../harness/wiring/check.ts'
import type { Surroundings } from './surroundings.ts'

/** The disk that the state is on. */
export type Disk = {
  /** Throws if the disk does not accept it. */
  write(file: string): void
  /** Undefined if the file system does not report it. */
  freeBytes(directory: string): number | undefined
}

const NAME = 'disk'
const MB = 1024 * 1024
const LITTLE_BYTES = 50 * MB
/** More than a full file system may still fit into a block that is already in use. */
const PROBE_BYTES = 64 * 1024
const NOTHING_STORED = 'so no event can be stored and the queue stands still'

/** Tries a write beside the database, as the daemon does. */
export async function diskChecks(
  { paths }: Surroundings,
  disk: Disk = REAL_DISK,
): Promise<Check[]> {
  const directory = dirname(paths.database)
  const probe = join(directory, `.disk-${randomUUID()}`)
  try {
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return []
    disk.write(probe)
    return [spaceCheck(directory, disk.freeBytes(directory))]
  } catch (error) {
    return [refusal(directory, error)]
  } finally {
    removeIfMade(probe)
  }
}

function removeIfMade(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // In that case the write failed too, and we report that.
  }
}

function refusal(directory: string, error: unknown): Check {
  const elsewhere = 'or set TRAILBOSS_HOME to a directory elsewhere.'
  const restart = 'The daemon goes on by itself once there is room.'
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
      return broken(
        NAME,
        `the one of ${directory} is full, ${NOTHING_STORED}`,
        `Make room there; see df -h '${directory}' and df -i '${directory}'. ${restart}`,
      )
    case 'EDQUOT':
      return broken(
        NAME,
        `your quota where ${directory} is has been used up, ${NOTHING_STORED}`,
        `Remove files of yours there; see quota -s. ${restart}`,
      )
    case 'EROFS':
      return broken(
        NAME,
        `the one of ${directory} can only be read, ${NOTHING_STORED}`,
        `See why (dmesg) and remount it for writing, ${elsewhere}`,
      )
    case 'EACCES':
    case 'EPERM':
      return broken(
        NAME,
        `${directory} does not let you write, ${NOTHING_STORED}`,
        `Give yourself access (ls -ld '${directory}'), ${elsewhere}`,
      )
    default:
      return broken(
        NAME,
        `nothing can be written in ${directory}, ${NOTHING_STORED}: ${messageOf(error)}`,
        `See what the system says about that disk (dmesg), ${elsewhere}`,
      )
  }
}

function spaceCheck(directory: string, freeBytes: number | undefined): Check {
  if (freeBytes === undefined || freeBytes >= LITTLE_BYTES) {
    return ok(NAME, `${directory} is writable`)
  }
  return warning(
    NAME,
    `only ${Math.floor(freeBytes / MB)} MB are left for ${directory}`,
    `Make room there before it is full: no event can be stored then. See df -h '${directory}'`,
  )
}

const REAL_DISK: Disk = {
  write: (file) => {
    const descriptor = openSync(file, 'wx', 0o600)
    try {
      // Random, since a file system may store nothing for zeros.
      const bytes = randomBytes(PROBE_BYTES)
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  },
  freeBytes: (directory) => {
    const { bavail, bsize, blocks } = statfsSync(directory)
    return blocks === 0 ? undefined : bavail * bsize
  },
}
