import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs'
import { ProcFiles } from './proc-files.ts'

export type ProcessState = 'alive' | 'suspended' | 'gone' | 'unobservable'

/** Kernel ticks per second in /proc; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100
/** A pid whose process began this much after we heard of it belongs to somebody else. */
const REUSE_MARGIN_MS = 5_000
const MOST_IN_GROUP = 16
const MOST_DESCENDANTS = 64
/** One sweep looks at a process for more than one reason. */
const LATELY_MS = 200

/** What tells one process from a later one with the same pid. */
export type KnownProcess = {
  /** When it started, in ticks since boot; undefined when that was not seen. */
  start: number | undefined
  /** When we heard of it, epoch ms: what counts where `start` is not known. */
  knownAt: number
}

/** How the process `pid` is, if it is still the one we know. */
export function processState(pid: number, known: KnownProcess): ProcessState {
  const stat = readStatAgain(pid)
  if (stat === 'no-proc') return signalState(pid)
  if (stat === undefined) return 'gone'
  const isAnother =
    known.start === undefined
      ? bootTime() + ticksToMs(stat.start) > known.knownAt + REUSE_MARGIN_MS
      : stat.start !== known.start
  if (isAnother || stat.state === 'Z' || stat.state === 'X') return 'gone'
  return stat.state === 'T' || stat.state === 't' ? 'suspended' : 'alive'
}

/** When the process started, in ticks since boot: setting a clock does not move it. */
export function startOf(pid: number): number | undefined {
  const stat = statLately(pid)
  return stat === undefined || stat === 'no-proc' ? undefined : stat.start
}

/** The same as epoch ms, to about a second. */
export function startedAtOf(pid: number): number | undefined {
  const start = startOf(pid)
  return start === undefined ? undefined : bootTime() + ticksToMs(start)
}

/** The process group in the foreground of the terminal that the process is on, as of a moment ago. */
export function foregroundOf(pid: number): number | undefined {
  const stat = statLately(pid)
  if (stat === undefined || stat === 'no-proc') return undefined
  return stat.foreground > 1 ? stat.foreground : undefined
}

/** What the process called itself a moment ago: another name is another program, under the same pid. */
export function nameLately(pid: number): string | undefined {
  const stat = statLately(pid)
  return stat === undefined || stat === 'no-proc' ? undefined : stat.name
}

/** The process group that it is in. */
export function groupIdOf(pid: number): number | undefined {
  const stat = statLately(pid)
  return stat === undefined || stat === 'no-proc' ? undefined : stat.group
}

/**
 * A process group from its leader down: that one, its children in the same group, theirs. The first of
 * a pipeline may be gone while the others run: then these are found as children of `shell`.
 */
export function* groupOf(leader: number, shell?: number): Generator<number> {
  const isLeaderless = shell !== undefined && shell !== leader && startOf(leader) === undefined
  const waiting = isLeaderless ? childrenOf(shell) : [leader]
  for (let seen = 0; seen < MOST_IN_GROUP; seen++) {
    const pid = waiting.shift()
    if (pid === undefined) return
    const stat = readStat(pid)
    if (stat === undefined || stat === 'no-proc' || stat.group !== leader) continue
    yield pid
    waiting.push(...childrenOf(pid))
  }
}

function childrenOf(pid: number, thread: number | string = pid): number[] {
  return childrenIn(childListOf(pid, thread))
}

/** The children of a process as /proc lists them by thread; empty when that cannot be told. */
export function childListOf(pid: number, thread: number | string = pid): string {
  try {
    return readProc(`/proc/${pid}/task/${thread}/children`)
  } catch {
    return ''
  }
}

export function childrenIn(list: string): number[] {
  return list.split(' ').filter(Boolean).map(Number)
}

/** How much the process and its ended children have read and written so far, from and to whatever. */
export function transferOf(pid: number): { read: number; written: number } | undefined {
  try {
    // rchar: 3012\nwchar: 292\n…
    const bytes = buffer.subarray(0, transfers.read(pid, buffer))
    const written = skipFields(bytes, 0, 2)
    return { read: numberAt(bytes, skipFields(bytes, 0, 1)), written: numberAt(bytes, written) }
  } catch {
    return undefined
  }
}

/** What the process calls itself, at most 15 characters of it. */
export function nameOf(pid: number): string | undefined {
  try {
    return readProc(`/proc/${pid}/comm`).trimEnd()
  } catch {
    return undefined
  }
}

/** What it was started with; empty when that cannot be told, and cut off where it is very long. */
export function argvOf(pid: number): string[] {
  try {
    const bytes = buffer.toString('utf8', 0, readIntoBuffer(`/proc/${pid}/cmdline`))
    return bytes.split('\0').slice(0, -1)
  } catch {
    return []
  }
}

export function directoryOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

/** A tenth of the cost of `processState`; it takes a zombie, or whoever has the pid now, for alive. */
export function isGone(pid: number): boolean {
  return signalState(pid) === 'gone'
}

/** Its descendants, at most so many, nearest first; also those that another of its threads started. */
export function descendantsOf(pid: number): number[] {
  const found = [pid]
  for (let at = 0; at < found.length && found.length <= MOST_DESCENDANTS; at++) {
    for (const thread of threadsOf(found[at] ?? 0))
      found.push(...childrenOf(found[at] ?? 0, thread))
  }
  return found.slice(1, MOST_DESCENDANTS + 1)
}

/** How it is by the kernel's letter, and the CPU time of it and its ended children; undefined: gone. */
export function cpuOf(pid: number): { state: string; cpuMs: number } | undefined {
  try {
    const bytes = buffer.subarray(0, readIntoBuffer(`/proc/${pid}/stat`))
    const state = bytes.lastIndexOf(CLOSING) + 2
    const user = skipFields(bytes, state, 11)
    const fields = [0, 1, 2, 3].map((count) => numberAt(bytes, skipFields(bytes, user, count)))
    const ticks = fields.reduce((sum, one) => sum + one, 0)
    return { state: String.fromCharCode(bytes[state] ?? 0), cpuMs: ticksToMs(ticks) }
  } catch {
    return undefined
  }
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** The chain of parents from `pid` upwards, itself first. Empty when it cannot be told. */
export function ancestry(pid: number): number[] {
  const chain: number[] = []
  for (let current = pid; current > 1 && chain.length < 64; ) {
    const stat = readStat(current)
    if (stat === undefined || stat === 'no-proc') return chain
    chain.push(current)
    current = stat.parent
  }
  return chain
}

/** Lets go of processes that were not asked for since the last call. */
export function releaseUnasked(): void {
  asked.releaseUnasked()
  transfers.releaseUnasked()
  lately.clear()
}

type Stat = {
  name: string
  state: string
  parent: number
  group: number
  foreground: number
  start: number
}

const asked = new ProcFiles('stat')
const transfers = new ProcFiles('io')
const lately = new Map<number, { stat: Stat; at: number }>()
const buffer = Buffer.alloc(4_096)

function statLately(pid: number): Stat | undefined | 'no-proc' {
  const seen = lately.get(pid)
  const isRecent = seen !== undefined && performance.now() - seen.at < LATELY_MS
  return isRecent ? seen.stat : readStatAgain(pid)
}

/** For what is asked of the same process time and again. */
function readStatAgain(pid: number): Stat | undefined | 'no-proc' {
  const stat = statIn(() => asked.read(pid, buffer))
  if (stat === undefined || stat === 'no-proc') lately.delete(pid)
  else lately.set(pid, { stat, at: performance.now() })
  return stat
}

function readStat(pid: number): Stat | undefined | 'no-proc' {
  return statIn(() => readIntoBuffer(`/proc/${pid}/stat`))
}

function statIn(read: () => number): Stat | undefined | 'no-proc' {
  try {
    return parseStat(buffer.subarray(0, read()))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (bootTime() === 0) return 'no-proc'
    return code === 'ENOENT' || code === 'ESRCH' ? undefined : 'no-proc'
  }
}

/** A short file of /proc at once, at half the cost of `readFileSync`. */
function readProc(path: string): string {
  return buffer.toString('latin1', 0, readIntoBuffer(path))
}

function readIntoBuffer(path: string): number {
  const fd = openSync(path, 'r')
  try {
    return readSync(fd, buffer)
  } finally {
    closeSync(fd)
  }
}

/** The command name may hold spaces and parentheses: fields are counted from its last `)`. */
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

function signalState(pid: number): ProcessState {
  try {
    process.kill(pid, 0)
    return 'alive'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'gone' : 'alive'
  }
}

/** Epoch ms of the boot by the kernel's own reckoning; it moves with the wall clock, so it is read anew. */
let boot = { at: 0, readAt: Number.NEGATIVE_INFINITY }

function bootTime(): number {
  if (performance.now() - boot.readAt < 1_000) return boot.at
  boot = { at: readBootTime(), readAt: performance.now() }
  return boot.at
}

function readBootTime(): number {
  try {
    const [, seconds] = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1')) ?? []
    return Number(seconds ?? 0) * 1_000
  } catch {
    return 0
  }
}
