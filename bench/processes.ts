import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** CPU seconds, including those of children that have exited. */
export type CpuTime = { own: number; children: number }

export function cpuTime(pid: number): CpuTime {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The command name may contain spaces and parentheses, so count fields from the last `)`.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = (index: number) => Number(fields[index]) / TICKS_PER_SECOND
  return { own: schedSeconds(pid), children: ticks(13) + ticks(14) }
}

/** To the nanosecond, over all live threads: `stat` counts in hundredths of a second. */
function schedSeconds(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((task) => readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'latin1'))
    .reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e9, 0)
}

/** In megabytes: now, and the peak so far. */
export function memory(pid: number): { rss: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const megabytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024
  return { rss: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}

/** The share of the CPUs that the host of this virtual machine gave to others since `before`, in percent. */
export function stolenPercent(before: CpuTicks): number {
  const now = cpuTicks()
  return Math.round(((now.stolen - before.stolen) / (now.all - before.all)) * 100)
}

export type CpuTicks = { all: number; stolen: number }

export function cpuTicks(): CpuTicks {
  const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n')
  const ticks = line.split(/ +/).slice(1, 9).map(Number)
  return { all: ticks.reduce((sum, one) => sum + one, 0), stolen: ticks[7] ?? 0 }
}
