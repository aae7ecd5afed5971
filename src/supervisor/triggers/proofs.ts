import { open } from 'node:fs/promises'
import { isSamePane, type PaneRef } from '../../core/pane.ts'
import { type AgentEvent, sessionKey } from '../../core/session/event.ts'
import type { Ack } from '../../core/supervisor/trigger/ack.ts'
import type { Mark } from '../../core/supervisor/trigger/mark.ts'
import type { TranscriptReader } from '../../harness/adapter/adapter.ts'
import type { Herd } from '../context/herd.ts'

const CHUNK_BYTES = 1024 * 1024
/** A prompt has at most 64 KiB, and may be escaped. */
const MOST_LINE_BYTES = 4 * CHUNK_BYTES
const LINE_BREAK = 0x0a

/** How far a transcript was searched for a mark. */
type Searched = { path: string; offset: number; isFound: boolean }

/** Proofs, by mark, that prompts were taken: reported by the harness, or found in its transcript. */
export class Proofs {
  readonly #heard = new Map<Mark, Ack[]>()
  /** By mark and path: until we are certain which transcript is the right one, we search several. */
  readonly #searched = new Map<Mark, Map<string, Searched>>()

  of(mark: Mark): readonly Ack[] {
    return this.#heard.get(mark) ?? []
  }

  hear(mark: Mark, ack: Ack): void {
    const known = this.of(mark)
    if (!known.some(({ kind }) => kind === ack.kind)) this.#heard.set(mark, [...known, ack])
  }

  /**
   * Continues where it stopped the last time. `absent`: a harness creates the file with the first prompt, so none
   * was taken. `unreadable`: we cannot know.
   */
  async find(
    mark: Mark,
    transcript: { path: string | undefined; session: string; reader: TranscriptReader | undefined },
  ): Promise<'found' | 'not-found' | 'absent' | 'unreadable'> {
    const { path, session, reader } = transcript
    if (path === undefined || !reader) return 'unreadable'
    const before = this.#searched.get(mark) ?? new Map<string, Searched>()
    const searched = before.get(path) ?? { path, offset: 0, isFound: false }
    this.#searched.set(mark, before.set(path, searched))
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

/** Where a prompt was typed. */
export type ProofPlace = {
  harness: string
  sessionId: string | undefined
  pane: PaneRef | undefined
}

/** What an event proves. Only the harness itself can prove something, from the very place where it was typed. */
export function proofIn(event: AgentEvent, place: ProofPlace, herd: Herd): Ack | undefined {
  const { source, harness, session, at } = event
  if (source !== 'hook' && source !== 'transcript') return undefined
  if (harness !== place.harness) return undefined
  const pane = herd.session(sessionKey(harness, session))?.pane ?? event.pane
  const isThere = isSamePane(pane, place.pane)
  return session === place.sessionId || isThere ? { kind: source, at } : undefined
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

/** Only if the harness says that it was a prompt: an answer may quote it. */
function hasMark(reader: TranscriptReader, session: string, record: unknown, mark: Mark): boolean {
  return reader.read(reader.start(session), record).event?.marks?.includes(mark) ?? false
}
