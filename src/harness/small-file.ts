import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { messageOf } from '../core/errors.ts'

export type SmallFile =
  | { kind: 'read'; text: string; stamp: string }
  /** The stamp has not changed: it was not read again. */
  | { kind: 'same' }
  | { kind: 'unfit'; why: string; stamp: string }
  | { kind: 'gone' }

const MOST_BYTES = 64 * 1024

/** Reads a file that a program of ours wrote: a regular one, our own, and small. Never waits. */
export function readSmallFile(path: string, knownStamp: string): SmallFile {
  let fd: number
  try {
    // A FIFO without a writer would hold up whoever opens it.
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
    if (size > MOST_BYTES) return { kind: 'unfit', why: 'it is too large', stamp }
    return { kind: 'read', text: readFileSync(fd, 'utf8'), stamp }
  } catch (error) {
    return { kind: 'unfit', why: messageOf(error), stamp: '' }
  } finally {
    closeSync(fd)
  }
}
