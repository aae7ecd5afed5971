import { open } from 'node:fs/promises'
import { isSamePane } from '../../core/pane.ts'
import { type AgentEvent, sessionKey } from '../../core/session/event.ts'
import type { Runtime } from '../../core/supervisor/runtime/runtime.ts'
import type { Ack } from '../../core/supervisor/trigger/ack.ts'
import type { Mark } from '../../core/supervisor/trigger/mark.ts'
import type { TranscriptReader } from '../../harness/adapter/adapter.ts'
import { EVENTS } from '../../store/log/log-tables.ts'
import { select } from '../../store/rows/rows.ts'
import type { SupervisorContext } from '../context/context.ts'
import type { Herd } from '../context/herd.ts'
import { paneOf } from '../runtimes/runtime-observer.ts'

const CHUNK_BYTES = 1024 * 1024
/** A prompt is at most 64 KiB, and may be escaped. */
const MOST_LINE_BYTES = 4 * CHUNK_BYTES
const LINE_BREAK = 0x0a

/** How far a transcript was searched for a mark. */
type Searched = { path: string; offset: number; isFound: boolean }

/** The proofs that prompts were taken, by their marks: heard from the harness, or found in its transcript. */
export class Proofs {
  readonly #heard = new Map<Mark, Ack[]>()
  readonly #searched = new Map<Mark, Searched>()

  of(mark: Mark): readonly Ack[] {
    return this.#heard.get(mark) ?? []
  }

  hear(mark: Mark, ack: Ack): void {
    const known = this.of(mark)
    if (!known.some(({ kind }) => kind === ack.kind)) this.#heard.set(mark, [...known, ack])
  }

  /**
   * From where it stopped the last time. `absent`: a harness begins the file with the first prompt, so that
   * none was taken. `unreadable`: there is no telling.
   */
  async find(
    mark: Mark,
    transcript: { path: string | undefined; session: string; reader: TranscriptReader | undefined },
  ): Promise<'found' | 'not-found' | 'absent' | 'unreadable'> {
    const { path, session, reader } = transcript
    if (path === undefined || !reader) return 'unreadable'
    const before = this.#searched.get(mark)
    const searched = before?.path === path ? before : { path, offset: 0, isFound: false }
    this.#searched.set(mark, searched)
    if (searched.isFound) return 'found'
    try {
      await searchOn(searched, mark, (record) => hasMark(reader, session, record, mark))
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : 'unreadable'
    }
    return searched.isFound ? 'found' : 'not-found'
  }

  forget(mark: Mark): void {
    this.#heard.delete(mark)
    this.#searched.delete(mark)
  }
}

/** What an event proves. Only the harness itself can, from the very place where the runtime is. */
export function proofIn(event: AgentEvent, runtime: Runtime, herd: Herd): Ack | undefined {
  const { source, harness, session, at } = event
  if (source !== 'hook' && source !== 'transcript') return undefined
  if (harness !== runtime.harness) return undefined
  const pane = herd.session(sessionKey(harness, session))?.pane ?? event.pane
  const isThere = isSamePane(pane, paneOf(runtime))
  return session === runtime.sessionId || isThere ? { kind: source, at } : undefined
}

/** The events of an earlier run that name this mark: that run may have ended before it acted on them. */
export function eventsWithMark({ db }: Pick<SupervisorContext, 'db'>, mark: Mark): AgentEvent[] {
  const clause = `WHERE type = 'event.received' AND instr(entry, ?) > 0`
  return select(db, EVENTS, clause, `"${mark}"`).flatMap(({ entry }) => {
    const event = entry.type === 'event.received' ? entry.event : undefined
    return event?.marks?.includes(mark) ? [event] : []
  })
}

async function searchOn(
  searched: Searched,
  mark: Mark,
  isIt: (record: unknown) => boolean,
): Promise<void> {
  const needle = Buffer.from(`[tb:${mark}]`)
  await using file = await open(searched.path, 'r')
  let rest = Buffer.alloc(0)
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, searched.offset + rest.length)
    if (bytesRead === 0) return
    const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)])
    const end = bytes.lastIndexOf(LINE_BREAK) + 1
    const whole = bytes.subarray(0, end)
    if (whole.includes(needle) && linesOf(whole).some((line) => isMarked(line, needle, isIt))) {
      searched.isFound = true
      return
    }
    searched.offset += end
    rest = bytes.subarray(end)
    if (rest.length <= MOST_LINE_BYTES) continue
    searched.offset += rest.length
    rest = Buffer.alloc(0)
  }
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_BREAK, start)
    lines.push(bytes.subarray(start, end))
    start = end + 1
  }
  return lines
}

function isMarked(line: Buffer, needle: Buffer, isIt: (record: unknown) => boolean): boolean {
  if (!line.includes(needle)) return false
  try {
    return isIt(JSON.parse(line.toString()))
  } catch {
    return false
  }
}

/** Only where the harness says that it was a prompt: an answer may quote it. */
function hasMark(reader: TranscriptReader, session: string, record: unknown, mark: Mark): boolean {
  return reader.read(reader.start(session), record).event?.marks?.includes(mark) ?? false
}
