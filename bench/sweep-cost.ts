import { appendFileSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Daemon, Place } from './place.ts'
import { cpuTime } from './processes.ts'
import type { Row } from './report.ts'
import { type BenchSession, Line } from './sessions.ts'
import { filler } from './transcripts.ts'

/** As long as two sweeps of everything, or ten of what is not watched. */
const WINDOW_MS = 10_000
const GROWING = 100
const APPENDED_BYTES = 100 * 1024
const MOST_RATIO = 1.1

/** How much the daemon reads in one window: with nothing new, and with a little new in some transcripts. */
export async function sweepCost(
  place: Place,
  daemon: Daemon,
  sessions: BenchSession[],
): Promise<Row[]> {
  // By then the start itself causes no more work.
  await delay(WINDOW_MS)
  const quiet = await measure(place, daemon, () => 0)
  const busy = await measure(place, daemon, () => appendTo(sessions.slice(0, GROWING)))
  const ratio = busy.read / busy.appended
  const all = sessions.length
  return [
    {
      name: 'sweeps after it, nothing new',
      figures: `${quiet.read} bytes of transcripts read in ${WINDOW_MS / 1_000} s`,
      details: `${quiet.cpuPercent.toFixed(2)} % of a core; the kernel counts ${megabytes(quiet.readByKernel)} for all that the daemon read: processes, panes, status files`,
      budget: '0 bytes',
      ok: quiet.read === 0,
    },
    {
      name: `sweeps after it, ${megabytes(busy.appended)} new`,
      figures: `${megabytes(busy.read)} of transcripts read in ${WINDOW_MS / 1_000} s`,
      details: `${GROWING} of ${all} grew by ${APPENDED_BYTES / 1_024} KB, all together have ${all / 100} GB; the kernel counts ${megabytes(busy.readByKernel - quiet.readByKernel)} more than with nothing new`,
      ratio,
      budget: `≤ ${MOST_RATIO} ×`,
      ok: ratio <= MOST_RATIO,
    },
  ]
}

type Cost = { appended: number; read: number; readByKernel: number; cpuPercent: number }

async function measure(place: Place, { pid }: Daemon, append: () => number): Promise<Cost> {
  const before = { read: await bytesRead(place), io: bytesReadByKernel(pid), cpu: cpuTime(pid) }
  const appended = append()
  await delay(WINDOW_MS)
  const io = bytesReadByKernel(pid)
  const cpu = cpuTime(pid)
  return {
    appended,
    read: (await bytesRead(place)) - before.read,
    readByKernel: io - before.io,
    cpuPercent: ((cpu.own - before.cpu.own) / (WINDOW_MS / 1_000)) * 100,
  }
}

function appendTo(sessions: BenchSession[]): number {
  const text = filler(APPENDED_BYTES, Date.now())
  for (const { transcript } of sessions) appendFileSync(transcript, text)
  return text.length * sessions.length
}

async function bytesRead(place: Place): Promise<number> {
  using line = new Line(place.socket, 1)
  const { text } = await line.get('/metrics')
  return Number(/^trailboss_transcript_bytes_read_total (\d+)$/m.exec(text)?.[1])
}

/** Counts every read of any file or socket. */
function bytesReadByKernel(pid: number): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1])
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(2)} MB`
}
