import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { messageOf } from '../../core/errors.ts'

export type SmallFile =
  | { kind: 'read'; text: string; stamp: string }
  /** The stamp has not changed, so the file was not read again. */
  | { kind: 'same' }
  | { kind: 'unfit'; why: string; stamp: string }
  | { kind: 'gone' }

const MOST_BYTES = 64 * 1024
const buffer = Buffer.alloc(MOST_BYTES + 1)

/** Reads a file that a program of ours wrote: a regular file, our own, and small. A FIFO never blocks it. */
export function readSmallFile(path: string, knownStamp: string): SmallFile {
  let fd: number
  try {
    fd = openSync(path, WITHOUT_BLOCKING)
  } catch (error) {
    return unopened(error)
  }
  try {
    const stat = fstatSync(fd)
    const unread = unreadable(stat, knownStamp)
    if (unread) return unread
    return readText(stat, buffer, readSync(fd, buffer))
  } catch (error) {
    return { kind: 'unfit', why: messageOf(error), stamp: '' }
  } finally {
    closeSync(fd)
  }
}

/** The same without waiting for the file system, which may be somewhere else and not answer. */
export async function readSmallFileSoon(path: string, knownStamp: string): Promise<SmallFile> {
  let file: FileHandle
  try {
    file = await open(path, WITHOUT_BLOCKING)
  } catch (error) {
    return unopened(error)
  }
  try {
    const stat = await file.stat()
    const unread = unreadable(stat, knownStamp)
    if (unread) return unread
    const own = Buffer.alloc(MOST_BYTES + 1)
    const { bytesRead } = await file.read(own)
    return readText(stat, own, bytesRead)
  } catch (error) {
    return { kind: 'unfit', why: messageOf(error), stamp: '' }
  } finally {
    await file.close()
  }
}

// Opening a FIFO without a writer would block.
const WITHOUT_BLOCKING = constants.O_RDONLY | constants.O_NONBLOCK

function unopened(error: unknown): SmallFile {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'gone' }
  return { kind: 'unfit', why: messageOf(error), stamp: String(code) }
}

function unreadable(stat: Stats, knownStamp: string): SmallFile | undefined {
  const stamp = stampOf(stat)
  if (stamp === knownStamp) return { kind: 'same' }
  if (!stat.isFile()) return { kind: 'unfit', why: 'it is not a regular file', stamp }
  if (stat.uid !== process.getuid?.()) return { kind: 'unfit', why: 'it is not ours', stamp }
  return stat.size > MOST_BYTES ? tooLarge(stat) : undefined
}

/** Does not trust the size: files in /proc have none, and others grow. */
function readText(stat: Stats, bytes: Buffer, length: number): SmallFile {
  if (length > MOST_BYTES) return tooLarge(stat)
  return { kind: 'read', text: bytes.toString('utf8', 0, length), stamp: stampOf(stat) }
}

function tooLarge(stat: Stats): SmallFile {
  return { kind: 'unfit', why: 'it is too large', stamp: stampOf(stat) }
}

function stampOf({ ino, size, mtimeMs, uid }: Stats): string {
  return `${ino}:${size}:${mtimeMs}:${uid}`
}
