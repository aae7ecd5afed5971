import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** `empty`: emptied by a checkpoint, or by somebody who must not. The next write shows which. */
type JournalState = 'in place' | 'gone' | 'empty' | 'cut'

type Seen = { identity: string; bytes: number; salt: string }

/**
 * The write-ahead log of an open database. SQLite never shortens it: after a checkpoint it starts over at the
 * beginning, with a new salt in the header. If somebody shortened it, it has a hole where entries were, since
 * SQLite continues to write behind the end that it knows.
 */
export class JournalFile {
  readonly #path: string
  #seen: Seen | undefined

  constructor(path: string) {
    this.#path = path
    this.accept()
  }

  /** Accepts the current file as the right one. False if there is none. */
  accept(): boolean {
    this.#seen = this.#read((fd) => seenIn(fd))
    return this.#seen !== undefined
  }

  look(): JournalState {
    return this.#read((fd) => this.#compare(fd)) ?? 'gone'
  }

  #compare(fd: number): JournalState {
    const before = this.#seen
    const now = seenIn(fd)
    if (before?.identity !== now.identity) return 'gone'
    if (now.bytes === 0 && before.bytes > 0) return 'empty'
    if (now.bytes > 0 && now.salt === '') return 'cut'
    const isSameRound = now.salt === before.salt
    if (isSameRound && (now.bytes < before.bytes || !hasLastFrame(fd, before.bytes))) return 'cut'
    this.#seen = now
    return 'in place'
  }

  #read<T>(read: (fd: number) => T): T | undefined {
    let fd: number
    try {
      fd = openSync(this.#path, 'r')
    } catch {
      return undefined
    }
    try {
      return read(fd)
    } finally {
      // SQLite holds no locks on this file that closing it could release.
      closeSync(fd)
    }
  }
}

const HEADER_BYTES = 32
const FRAME_BYTES = 24 + 4_096
const MAGIC = 0x377f0682

function seenIn(fd: number): Seen {
  const { dev, ino, size } = fstatSync(fd)
  const header = bytesAt(fd, 0, HEADER_BYTES)
  // The last bit is the byte order of its checksums.
  const isHeader = (header.readUInt32BE(0) & ~1) === MAGIC
  return {
    identity: `${dev}:${ino}`,
    bytes: size,
    salt: isHeader ? header.toString('hex', 16, 24) : '',
  }
}

/** A frame begins with the number of its page, which is never 0. */
function hasLastFrame(fd: number, bytes: number): boolean {
  const frames = Math.floor((bytes - HEADER_BYTES) / FRAME_BYTES)
  if (frames < 1) return true
  return bytesAt(fd, HEADER_BYTES + (frames - 1) * FRAME_BYTES, 4).readUInt32BE() !== 0
}

function bytesAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  readSync(fd, bytes, 0, length, position)
  return bytes
}
