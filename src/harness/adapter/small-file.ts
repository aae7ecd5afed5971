import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { messageOf } from '../../core/errors.ts'

export type SmallFile =
  | { kind: 'read'; text: string; stamp: string }
  /** The stamp has not changed, so the file was not read again. */
  | { kind: 'same' }
  | { kind: 'unfit'; why: string; stamp: string }
  | { kind: 'gone' }

const MOST_BYTES = 64 * 1024
const buffer = Buffer.alloc(MOST_BYTES + 1)

/** Reads a file that a program of ours wrote: a regular file, our own, and small. Never blocks. */
export function readSmallFile(path: string, knownStamp: string): SmallFile {
  let fd: number
  try {
    // Opening a FIFO without a writer would block.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'gone' }
    return { kind: 'unfit', why: messageOf(error), stamp: String(code) }
  }
  try {
    const stat = fstatSync(fd)
    const { size, ino, mtimeMs, uid } = stat
    const stamp = `${ino}:${size}:${mtimeMs}:${uid}`
    if (stamp === knownStamp) return { kind: 'same' }
    if (!stat.isFile()) return { kind: 'unfit', why: 'it is not a regular file', stamp }
    if (uid !== process.getuid?.()) return { kind: 'unfit', why: 'it is not ours', stamp }
    // Do not trust the size: files in /proc have none, and others grow.
    const bytes = size > MOST_BYTES ? size : readSync(fd, buffer)
    if (bytes > MOST_BYTES) return { kind: 'unfit', why: 'it is too large', stamp }
    return { kind: 'read', text: buffer.toString('utf8', 0, bytes), stamp }
  } catch (error) {
    return { kind: 'unfit', why: messageOf(error), stamp: '' }
  } finally {
    closeSync(fd)
  }
}
