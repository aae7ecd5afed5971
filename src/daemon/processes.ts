import { closeSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs'

export type ProcessState = 'alive' | 'suspended' | 'gone' | 'unobservable'

/** Kernel ticks per second in /proc; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100
/** A pid whose process began this much after we heard of it belongs to somebody else. */
const REUSE_MARGIN_MS = 5_000
const MOST_IN_GROUP = 16

/** What tells one process from a later one with the same pid. */
export type KnownProcess = {
  /** When it started, in ticks since boot; undefined when that was not seen. */
  start: number | undefined
  /** When we heard of it, epoch ms: what counts where `start` is not known. */
  knownAt: number
}

/** How the process `pid` is, if it is still the one we know. */
export function processState(pid: number, known: KnownProcess): ProcessState {
  const stat = readStat(pid)
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
  const stat = readStat(pid)
  return stat === undefined || stat === 'no-proc' ? undefined : stat.start
}

/** The process group in the foreground of the terminal that the process is on. */
export function foregroundOf(pid: number): number | undefined {
  const stat = readStat(pid)
  if (stat === undefined || stat === 'no-proc') return undefined
  return stat.foreground > 1 ? stat.foreground : undefined
}

/** A process group from its leader down: that one, its children in the same group, theirs. */
export function* groupOf(leader: number): Generator<number> {
  const waiting = [leader]
  for (let seen = 0; seen < MOST_IN_GROUP; seen++) {
    const pid = waiting.shift()
    if (pid === undefined) return
    const stat = readStat(pid)
    if (stat === undefined || stat === 'no-proc' || stat.group !== leader) continue
    yield pid
    waiting.push(...childrenOf(pid))
  }
}

export function childrenOf(pid: number): number[] {
  try {
    const text = readProc(`/proc/${pid}/task/${pid}/children`)
    return text.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
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

type Stat = { state: string; parent: number; group: number; foreground: number; start: number }

function readStat(pid: number): Stat | undefined | 'no-proc' {
  try {
    return parseStat(readProc(`/proc/${pid}/stat`))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (bootTime() === 0) return 'no-proc'
    return code === 'ENOENT' || code === 'ESRCH' ? undefined : 'no-proc'
  }
}

const buffer = Buffer.alloc(4_096)

/** A short file of /proc at once, at half the cost of `readFileSync`. */
function readProc(path: string): string {
  const fd = openSync(path, 'r')
  try {
    return buffer.toString('latin1', 0, readSync(fd, buffer))
  } finally {
    closeSync(fd)
  }
}

/** The command name may hold spaces and parentheses: fields are counted from its last `)`. */
export function parseStat(text: string): Stat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return {
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    foreground: Number(fields[5]),
    start: Number(fields[19]),
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
