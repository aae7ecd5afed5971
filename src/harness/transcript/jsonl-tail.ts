import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { messageOf } from '../../core/errors.ts'
import { recordsInLine } from './jsonl-line.ts'

/** The result of a look at the file. */
export type TailRead = {
  /** `missing`: it does not exist (yet), which is no error. `unreadable`: we could not look. */
  outcome: 'read' | 'missing' | 'unreadable'
  records: unknown[]
  /** Damaged or oversized lines; their intact records are among the records. */
  skipped: number
  /** Another file is in its place: what we read before no longer counts. */
  reset: boolean
  /** The budget ran out before the file did: read again. */
  more: boolean
  /** Bytes read from the file. */
  bytes: number
  /** Why it was unreadable. */
  reason?: string
}

export type TailOptions = {
  /** How much of the end of a file the first read covers; it begins at a whole line. */
  firstBytes?: number
  /** A longer line is skipped. */
  maxLineBytes?: number
  /** The most that one call reads. */
  budgetBytes?: number
}

const CHUNK_BYTES = 256 * 1024
/** The first whole line usually begins within this range. */
const PROBE_BYTES = 4 * 1024
/** How much of the last read we keep, to notice that a file was rewritten in place. */
const TRAIL_BYTES = 64

/** Calls are synchronous, so all tails share one buffer. */
const chunk = Buffer.allocUnsafe(CHUNK_BYTES)

/**
 * Follows a growing file of JSON lines. Each call costs only what was appended since the last one. Nothing
 * stays open between calls, so we can follow thousands of files.
 */
export class JsonlTail {
  readonly path: string
  readonly #firstBytes: number
  readonly #maxLineBytes: number
  readonly #budgetBytes: number
  #position: Position | undefined

  constructor(path: string, options: TailOptions = {}) {
    this.path = path
    this.#firstBytes = options.firstBytes ?? 256 * 1024
    this.#maxLineBytes = options.maxLineBytes ?? 8 * 1024 * 1024
    this.#budgetBytes = options.budgetBytes ?? 1024 * 1024
  }

  readNew(): TailRead {
    try {
      const seen = statSync(this.path, { throwIfNoEntry: false })
      if (!seen) return this.#missing()
      if (!seen.isFile()) return unreadable('not a regular file')
      if (this.#position && isUpTo(this.#position, seen)) return { ...NOTHING_NEW, records: [] }
      return this.#readFile()
    } catch (error) {
      return isMissing(error) ? this.#missing() : unreadable(messageOf(error))
    }
  }

  /** Whatever replaces it is another file, even if the system gives it the same inode. */
  #missing(): TailRead {
    if (this.#position) this.#position.isGone = true
    return { ...NOTHING_NEW, outcome: 'missing', records: [] }
  }

  #readFile(): TailRead {
    // Non-blocking: whatever replaced the file since we looked must not block us.
    const fd = openSync(this.path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stats = fstatSync(fd)
      if (!stats.isFile()) return unreadable('not a regular file')
      const file = countingReader(fd)
      const known = this.#position
      const goesOn = known !== undefined && isSameFile(file, stats, known)
      const position = goesOn ? known : this.#firstPosition(file, stats)
      this.#position = position
      position.changedAt = stats.mtimeMs
      const read = this.#readLines(file, stats.size, position)
      return { ...read, reset: known !== undefined && !goesOn, bytes: file.bytes }
    } finally {
      closeSync(fd)
    }
  }

  #readLines(file: CountingReader, size: number, position: Position): TailRead {
    const read: TailRead = { ...NOTHING_NEW, records: [] }
    let budget = this.#budgetBytes
    while (position.offset < size && budget > 0) {
      const wanted = Math.min(CHUNK_BYTES, size - position.offset, budget)
      const bytes = file.readAt(position.offset, wanted)
      if (bytes.length === 0) break
      budget -= bytes.length
      this.#take(bytes, position, read)
      position.offset += bytes.length
      position.trail = trailOf(position.trail, bytes)
    }
    read.more = position.offset < size
    return read
  }

  #take(bytes: Buffer, position: Position, read: TailRead): void {
    let from = 0
    for (let newline = bytes.indexOf(NEWLINE); newline !== -1; ) {
      this.#endLine(bytes.subarray(from, newline), position, read)
      from = newline + 1
      newline = bytes.indexOf(NEWLINE, from)
    }
    if (position.inOversized || from === bytes.length) return
    const rest = bytes.subarray(from)
    position.partialBytes += rest.length
    if (position.partialBytes <= this.#maxLineBytes) {
      position.partial.push(Buffer.from(rest))
      return
    }
    position.inOversized = true
    forgetPartial(position)
  }

  #endLine(end: Buffer, position: Position, read: TailRead): void {
    const isOversized =
      position.inOversized || position.partialBytes + end.length > this.#maxLineBytes
    const line =
      isOversized || position.partial.length === 0 ? end : Buffer.concat([...position.partial, end])
    position.inOversized = false
    forgetPartial(position)
    if (isOversized) {
      read.skipped += 1
      return
    }
    const { records, damaged } = recordsInLine(line.toString('utf8'))
    for (const record of records) read.records.push(record)
    if (damaged) read.skipped += 1
  }

  /** Starts at the first whole line of the file's end, and further back if that end holds no whole line. */
  #firstPosition(file: CountingReader, stats: Stats): Position {
    const { size } = stats
    for (let back = this.#firstBytes; back < size; back *= 4) {
      const found = firstLine(file, size - back, size)
      if (found?.isWhole) return positionAt(found.start, stats)
      if (back <= this.#maxLineBytes) continue
      if (found) return positionAt(found.start, stats)
      return { ...positionAt(size - back, stats), inOversized: true }
    }
    return positionAt(0, stats)
  }
}

/** Reads into the shared buffer, so the result is valid until the next read. */
type CountingReader = { bytes: number; readAt(offset: number, length: number): Buffer }

function countingReader(fd: number): CountingReader {
  const reader: CountingReader = {
    bytes: 0,
    readAt(offset, length) {
      const bytes = readSync(fd, chunk, 0, length, offset)
      reader.bytes += bytes
      return chunk.subarray(0, bytes)
    },
  }
  return reader
}

/** How far a file was read, and the incomplete part of its last line. */
type Position = {
  readonly device: number
  readonly inode: number
  offset: number
  /** When the file was last written, as of the last read. */
  changedAt: number
  /** The bytes just before `offset`. */
  trail: Buffer
  partial: Buffer[]
  partialBytes: number
  /** Inside a line that is too long: everything up to its end is dropped. */
  inOversized: boolean
  isGone: boolean
}

const NEWLINE = 0x0a
const NOTHING_NEW: Omit<TailRead, 'records'> = {
  outcome: 'read',
  skipped: 0,
  reset: false,
  more: false,
  bytes: 0,
}

function positionAt(offset: number, stats: Stats): Position {
  return {
    device: stats.dev,
    inode: stats.ino,
    changedAt: stats.mtimeMs,
    offset,
    trail: Buffer.alloc(0),
    partial: [],
    partialBytes: 0,
    inOversized: false,
    isGone: false,
  }
}

function forgetPartial(position: Position): void {
  position.partial = []
  position.partialBytes = 0
}

/** Nothing was written since the last read. */
function isUpTo(position: Position, stats: Stats): boolean {
  return (
    isThatInode(position, stats) &&
    stats.size === position.offset &&
    stats.mtimeMs === position.changedAt
  )
}

function isSameFile(file: CountingReader, stats: Stats, position: Position): boolean {
  if (!isThatInode(position, stats) || stats.size < position.offset) return false
  const { trail, offset } = position
  if (trail.length === 0) return true
  return trail.equals(file.readAt(offset - trail.length, trail.length))
}

function isThatInode(position: Position, stats: Stats): boolean {
  return !position.isGone && stats.dev === position.device && stats.ino === position.inode
}

/** The first line that begins at or after `from`. */
function firstLine(
  file: CountingReader,
  from: number,
  size: number,
): { start: number; isWhole: boolean } | undefined {
  let start: number | undefined
  let length = PROBE_BYTES
  for (let offset = from - 1; offset < size; ) {
    const read = file.readAt(offset, Math.min(length, size - offset))
    if (read.length === 0) break
    const newline = read.indexOf(NEWLINE)
    if (newline !== -1 && start !== undefined) return { start, isWhole: true }
    if (newline !== -1) {
      start = offset + newline + 1
      if (read.includes(NEWLINE, newline + 1)) return { start, isWhole: true }
    }
    offset += read.length
    length = Math.min(length * 2, CHUNK_BYTES)
  }
  return start === undefined ? undefined : { start, isWhole: false }
}

/** A separate copy, because the chunk is reused. */
function trailOf(trail: Buffer, read: Buffer): Buffer {
  if (read.length >= TRAIL_BYTES) return Buffer.from(read.subarray(-TRAIL_BYTES))
  return Buffer.from(Buffer.concat([trail, read]).subarray(-TRAIL_BYTES))
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function unreadable(reason: string): TailRead {
  return { ...NOTHING_NEW, outcome: 'unreadable', records: [], reason }
}
