import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  statSync,
} from 'node:fs'
import { LinuxFiles } from './linux-files.ts'

/** What `/proc/PID/stat` says about a process. */
export type Stat = {
  name: string
  state: string
  parent: number
  group: number
  foreground: number
  /** In ticks since boot, which do not change when a clock is set. */
  start: number
}

/** Kernel ticks per second in /proc; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100
/** One sweep looks at a process for several reasons. */
const LATELY_MS = 200

const stats = new LinuxFiles('stat')
const transfers = new LinuxFiles('io')
const lately = new Map<number, { stat: Stat; at: number }>()
const buffer = Buffer.alloc(4_096)

/** As of a moment ago; undefined if a process is gone or cannot be observed. */
export function recentStat(pid: number): Stat | undefined {
  const seen = lately.get(pid)
  if (seen !== undefined && performance.now() - seen.at < LATELY_MS) return seen.stat
  return seenIn(readStat(pid))
}

/** As of now, for a process that we look at once. */
export function statNow(pid: number): Stat | undefined {
  return seenIn(statIn(() => readIntoBuffer(`/proc/${pid}/stat`)))
}

/** As of now, at a tenth of the cost for a process that we look at repeatedly. */
export function readStat(pid: number): Stat | 'gone' | 'unobservable' {
  const stat = statIn(() => stats.read(pid, buffer))
  if (typeof stat === 'string') lately.delete(pid)
  else lately.set(pid, { stat, at: performance.now() })
  return stat
}

/** Releases processes that nobody has looked at since the last call. */
export function releaseUnasked(): void {
  stats.releaseUnasked()
  transfers.releaseUnasked()
  lately.clear()
}

/** Its state as the kernel's letter, and the CPU time of it and its exited children; undefined: gone. */
export function cpuOf(pid: number): { state: string; cpuMs: number } | undefined {
  return attempt(() => {
    const bytes = buffer.subarray(0, readIntoBuffer(`/proc/${pid}/stat`))
    const state = bytes.lastIndexOf(CLOSING) + 2
    const user = skipFields(bytes, state, 11)
    const fields = [0, 1, 2, 3].map((count) => numberAt(bytes, skipFields(bytes, user, count)))
    const ticks = fields.reduce((sum, one) => sum + one, 0)
    return { state: String.fromCharCode(bytes[state] ?? 0), cpuMs: ticksToMs(ticks) }
  })
}

/** How much the process and its exited children have read and written so far, in total. */
export function transferOf(pid: number): { read: number; written: number } | undefined {
  return attempt(() => {
    // rchar: 3012\nwchar: 292\n…
    const bytes = buffer.subarray(0, transfers.read(pid, buffer))
    const written = skipFields(bytes, 0, 2)
    return { read: numberAt(bytes, skipFields(bytes, 0, 1)), written: numberAt(bytes, written) }
  })
}

/** What the process calls itself, at most 15 characters of it. */
export function nameOf(pid: number): string | undefined {
  return attempt(() => readShort(`/proc/${pid}/comm`).trimEnd())
}

/** Its arguments with a NUL after each; cut off if they are very long. */
export function readCommandLine(pid: number): string | undefined {
  return attempt(() => readShort(`/proc/${pid}/cmdline`, 'utf8'))
}

/** Its variables with a NUL after each. */
export function readEnvironment(pid: number): string | undefined {
  return attempt(() => readFileSync(`/proc/${pid}/environ`, 'utf8'))
}

export function directoryOf(pid: number): string | undefined {
  return attempt(() => readlinkSync(`/proc/${pid}/cwd`))
}

/** The file that it was started from; undefined if that was replaced or removed. */
export function programFileOf(pid: number): string | undefined {
  const file = attempt(() => readlinkSync(`/proc/${pid}/exe`))
  return file?.endsWith(' (deleted)') ? undefined : file
}

export function openFileOf(pid: number, fd: number | string): string | undefined {
  return attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`))
}

/** The device and the inode of an open file, which no namespace changes. */
export function openInodeOf(pid: number, fd: number): { dev: number; ino: number } | undefined {
  return attempt(() => statSync(`/proc/${pid}/fd/${fd}`))
}

export function openFilesOf(pid: number): (string | undefined)[] {
  const fds = attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? []
  return fds.map((fd) => openFileOf(pid, fd))
}

/** Its pid in each PID namespace that it is in, ours first. */
export function namespacePidsOf(pid: number): number[] {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, 'latin1')) ?? ''
  const pids = /^NSpid:\s+(.+)$/m.exec(status)?.[1]?.trim().split(/\s+/) ?? []
  return pids.map(Number)
}

export function allPids(): number[] {
  const names = attempt(() => readdirSync('/proc')) ?? []
  return names.filter((name) => /^\d+$/.test(name)).map(Number)
}

/** The children that a thread of the process started, as the kernel lists them; empty if they are not visible. */
export function childListOf(pid: number, thread: number | string = pid): string {
  return attempt(() => readShort(`/proc/${pid}/task/${thread}/children`)) ?? ''
}

export function threadsOf(pid: number): string[] {
  return attempt(() => readdirSync(`/proc/${pid}/task`)) ?? []
}

/** The kernel's tables of TCP sockets, for IPv4 and IPv6. */
export function socketTables(): string[] {
  return ['/proc/net/tcp', '/proc/net/tcp6'].map(
    (table) => attempt(() => readFileSync(table, 'utf8')) ?? '',
  )
}

/** Converts ticks since boot to epoch ms, accurate to about a second. */
export function epochOf(ticks: number): number {
  return bootTime() + ticksToMs(ticks)
}

/** The command name may contain spaces and parentheses, so fields are counted from its last `)`. */
export function parseStat(bytes: Buffer): Stat {
  const state = bytes.lastIndexOf(CLOSING) + 2
  const parent = skipFields(bytes, state, 1)
  const group = skipFields(bytes, parent, 1)
  const foreground = skipFields(bytes, group, 3)
  const start = skipFields(bytes, foreground, 14)
  return {
    name: bytes.toString('latin1', bytes.indexOf(OPENING) + 1, state - 2),
    state: String.fromCharCode(bytes[state] ?? 0),
    parent: numberAt(bytes, parent),
    group: numberAt(bytes, group),
    foreground: numberAt(bytes, foreground),
    start: numberAt(bytes, start),
  }
}

function statIn(read: () => number): Stat | 'gone' | 'unobservable' {
  try {
    return parseStat(buffer.subarray(0, read()))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (bootTime() === 0) return 'unobservable'
    return code === 'ENOENT' || code === 'ESRCH' ? 'gone' : 'unobservable'
  }
}

function seenIn(stat: ReturnType<typeof readStat>): Stat | undefined {
  return typeof stat === 'string' ? undefined : stat
}

/** A process may exit at any moment, and may belong to another user. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Reads a short file at half the cost of `readFileSync`. */
function readShort(path: string, encoding: BufferEncoding = 'latin1'): string {
  return buffer.toString(encoding, 0, readIntoBuffer(path))
}

function readIntoBuffer(path: string): number {
  const fd = openSync(path, 'r')
  try {
    return readSync(fd, buffer)
  } finally {
    closeSync(fd)
  }
}

const [OPENING, CLOSING, SPACE, MINUS, ZERO, NINE] = [0x28, 0x29, 0x20, 0x2d, 0x30, 0x39]

function skipFields(bytes: Buffer, from: number, count: number): number {
  let at = from
  for (let left = count; left > 0 && at < bytes.length; at++) if (bytes[at] === SPACE) left--
  return at
}

function numberAt(bytes: Buffer, from: number): number {
  const isNegative = bytes[from] === MINUS
  let value = 0
  for (let at = isNegative ? from + 1 : from; ; at++) {
    const byte = bytes[at] ?? 0
    if (byte < ZERO || byte > NINE) return isNegative ? -value : value
    value = value * 10 + byte - ZERO
  }
}

function ticksToMs(ticks: number): number {
  return (ticks / TICKS_PER_SECOND) * 1_000
}

/** Epoch ms of the boot as the kernel computes it; it moves with the wall clock, so we read it again. */
let boot = { at: 0, readAt: Number.NEGATIVE_INFINITY }

function bootTime(): number {
  if (performance.now() - boot.readAt < 1_000) return boot.at
  const stat = attempt(() => readFileSync('/proc/stat', 'latin1')) ?? ''
  const [, seconds = 0] = /^btime (\d+)$/m.exec(stat) ?? []
  boot = { at: Number(seconds) * 1_000, readAt: performance.now() }
  return boot.at
}
