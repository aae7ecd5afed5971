import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { http } from '../test/support/http.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { createPlace, type Place } from './place.ts'
import { memory } from './processes.ts'
import { type Bench, type Row, runAlone } from './report.ts'
import { Line } from './sessions.ts'

const BUDGET_MB = 150
const MIB = 1024 * 1024
const EVENTS = 50_000
const EVENT_SESSIONS = 500
const MALFORMED = 30_000
const LARGE = { requests: 120, bytes: 15 * MIB, atOnce: 24 }
const SLOW = { connections: 100, declared: 12 * MIB, sent: MIB }
const IDLE_CONNECTIONS = 1_500

/**
 * The peak memory of one daemon under several loads, one after the other. They use the socket, which accepts
 * the largest bodies. The baseline is its memory after the start.
 */
export const memoryBench: Bench = {
  name: 'memory',
  async run() {
    await using place = await createPlace()
    const { pid } = await place.up()
    await delay(2_000)
    const idle = memory(pid).rss
    const rows: Row[] = []
    for (const [name, load] of Object.entries(LOADS)) {
      resetPeak(pid)
      const did = await load(place)
      const { rss, peak } = memory(pid)
      await answering(place)
      rows.push({
        name: `memory, ${name}`,
        figures: `peak ${peak.toFixed(0)} MB, RSS after it ${rss.toFixed(0)} MB`,
        details: `idle at first: ${idle.toFixed(0)} MB; ${did}`,
        ratio: peak / idle,
        budget: `≤ ${BUDGET_MB} MB`,
        ok: peak <= BUDGET_MB,
      })
    }
    return rows
  },
}

const LOADS: Record<string, (place: Place) => Promise<string>> = {
  [`${MALFORMED} malformed requests`]: malformed,
  [`bodies of ${LARGE.bytes / MIB} MiB, ${LARGE.atOnce} at once`]: large,
  [`${SLOW.connections} bodies that never end`]: slow,
  [`${IDLE_CONNECTIONS} connections that say nothing`]: silent,
  [`${EVENTS} events flat out`]: events,
}

/** Waits until the daemon has worked through what the previous load left in the socket's queue. */
async function answering({ socket }: Place): Promise<void> {
  const answer = () => http({ socket }, '/healthz').catch(() => undefined)
  await waitFor(answer, { what: 'the daemon to answer', until: (it) => it?.status === 200 })
}

/** Counts the peak from now on; see proc(5). */
function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

const DEEP = '['.repeat(50_000)
const BODIES = [
  '',
  '{',
  'null',
  '[]',
  '"x"',
  DEEP,
  `{"harness":"claude-code","payload":${'{"a":'.repeat(500)}1${'}'.repeat(500)}}`,
  JSON.stringify({ v: 1, kind: 'stuck', harness: '../..', session: '', at: -1, source: 'x' }),
  JSON.stringify({ v: 1, harness: 'claude-code', payload: { session_id: 'x'.repeat(100_000) } }),
  JSON.stringify({ ask: 'ä'.repeat(100_000) }),
  'x'.repeat(250_000),
]
const ROUTES = ['/event', '/v1/events', '/skip', '/servers', '/threads', '/nowhere', '/mcp']

async function malformed({ socket }: Place): Promise<string> {
  const line = new Line(socket, 64)
  const counts = new Map<number, number>()
  for (let done = 0; done < MALFORMED; done += 500) {
    const batch = Array.from({ length: 500 }, async (_, index) => {
      const body = BODIES[(done + index) % BODIES.length] ?? ''
      const route = ROUTES[(done + index * 7) % ROUTES.length] ?? '/'
      const { status } = await line.post(route, body).catch(() => ({ status: 0 }))
      counts.set(status, (counts.get(status) ?? 0) + 1)
    })
    await Promise.all(batch)
  }
  line[Symbol.dispose]()
  return countsText(counts)
}

async function large({ socket }: Place): Promise<string> {
  const filler = Buffer.alloc(MIB, 'x')
  const counts = new Map<number, number>()
  let next = 0
  const sender = async () => {
    while (next++ < LARGE.requests) {
      const status = await postRaw(socket, LARGE.bytes, filler)
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: LARGE.atOnce }, sender))
  return countsText(counts)
}

/** The status, or 0 if the connection was closed. */
function postRaw(path: string, bytes: number, filler: Buffer): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(path)
    let answer = ''
    let left = bytes
    const send = () => {
      while (left > 0) {
        const part = filler.subarray(0, Math.min(left, filler.length))
        left -= part.length
        if (!socket.write(part)) return void socket.once('drain', send)
      }
    }
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      answer += chunk
      if (answer.includes('\r\n\r\n')) socket.end()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)))
    socket.write(head(bytes))
    send()
  })
}

async function slow({ socket: path }: Place): Promise<string> {
  const filler = Buffer.alloc(SLOW.sent, ' ')
  const counts = new Map<number, number>()
  const all = Array.from({ length: SLOW.connections }, () => {
    const socket = connect(path)
    let answer = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.write(head(SLOW.declared))
    socket.write(filler)
    return new Promise<void>((resolve) => {
      socket.on('close', () => {
        const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
        counts.set(status, (counts.get(status) ?? 0) + 1)
        resolve()
      })
    })
  })
  await Promise.all(all)
  return countsText(counts)
}

async function silent({ socket: path }: Place): Promise<string> {
  const sockets: Socket[] = []
  let closed = 0
  for (let index = 0; index < IDLE_CONNECTIONS; index++) {
    const socket = connect(path)
    socket.on('error', () => {})
    socket.on('close', () => {
      closed += 1
    })
    socket.write(index % 2 ? 'POST /event HTTP/1.1\r\nX-Long: ' : '')
    sockets.push(socket)
  }
  await delay(3_000)
  const text = `${closed} were refused`
  for (const socket of sockets) socket.destroy()
  return text
}

async function events({ socket }: Place): Promise<string> {
  const line = new Line(socket, 64)
  const counts = new Map<number, number>()
  const startedAt = performance.now()
  for (let done = 0; done < EVENTS; done += 1_000) {
    const batch = Array.from({ length: 1_000 }, async (_, index) => {
      const { status } = await line.post('/v1/events', eventBody(done + index))
      counts.set(status, (counts.get(status) ?? 0) + 1)
    })
    await Promise.all(batch)
  }
  line[Symbol.dispose]()
  const perSecond = EVENTS / ((performance.now() - startedAt) / 1_000)
  return `${countsText(counts)}, ${perSecond.toFixed(0)}/s`
}

function eventBody(number: number): string {
  const turn = Math.floor(number / EVENT_SESSIONS)
  const isStuck = turn % 2 === 0
  return JSON.stringify({
    v: 1,
    kind: isStuck ? 'stuck' : 'unstuck',
    harness: 'bench',
    session: `session-${number % EVENT_SESSIONS}`,
    at: Date.now(),
    source: 'api',
    ...(isStuck && { reason: 'stopped', ask: { text: `Step ${turn} is done. `.repeat(20) } }),
  })
}

function head(bytes: number): string {
  const type = 'Content-Type: application/json'
  return `POST /event HTTP/1.1\r\nHost: localhost\r\n${type}\r\nContent-Length: ${bytes}\r\n\r\n`
}

function countsText(counts: ReadonlyMap<number, number>): string {
  const sorted = [...counts].toSorted(([a], [b]) => a - b)
  return sorted.map(([status, count]) => `${count} × ${status || 'closed'}`).join(', ')
}

if (import.meta.main) await runAlone(memoryBench)
