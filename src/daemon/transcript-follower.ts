import { existsSync, type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { messageOf } from '../core/errors.ts'
import type { AgentEvent, SessionKey } from '../core/event.ts'
import type { Session } from '../core/session.ts'
import type { TranscriptReader } from '../harness/adapter.ts'
import { JsonlTail } from '../harness/jsonl-tail.ts'
import { adapterFor } from '../harness/registry.ts'
import type { Herd } from './herd.ts'
import type { Ingest } from './ingest.ts'
import type { Log } from './log.ts'

type Followed = {
  key: SessionKey
  session: string
  path: string
  dir: string
  tail: JsonlTail
  reader: TranscriptReader
  state: unknown
  /** Read since its directory is watched: whatever comes now announces itself. */
  isRead: boolean
}

/**
 * Reads what harnesses write to their transcripts: the truth that survives a dropped hook, a restart
 * and an answer typed in the pane. A change is noticed at once where the system can tell of it, and
 * by a sweep where it cannot.
 */
export class TranscriptFollower implements Disposable {
  readonly #ingest: Ingest
  readonly #log: Log
  readonly #followed = new Map<SessionKey, Followed>()
  readonly #watchers = new Map<string, FSWatcher | undefined>()

  constructor(herd: Herd, ingest: Ingest, log: Log) {
    this.#ingest = ingest
    this.#log = log
    for (const session of herd.sessions()) this.follow(session)
  }

  follow(session: Session): void {
    const { key, transcript } = session
    const known = this.#followed.get(key)
    if (session.verdict.state === 'ended' || session.headless) {
      this.#followed.delete(key)
      return
    }
    if (!transcript || known?.path === transcript) return
    const reader = adapterFor(session.harness)?.transcript
    if (!reader) return
    const state = reader.start(session.id)
    const tail = new JsonlTail(transcript)
    const dir = dirname(transcript)
    const followed = { key, session: session.id, path: transcript, dir, tail, reader, state }
    this.#followed.set(key, { ...followed, isRead: false })
    if (!this.#watchers.has(dir)) this.#watch(dir)
  }

  /** Reads everything new in every transcript we follow. */
  async sweep(): Promise<void> {
    await this.#readAll([...this.#followed.values()])
  }

  /** The same for those alone whose changes would not be announced. */
  async sweepUnwatched(): Promise<void> {
    const isAnnounced = ({ dir, isRead }: Followed) =>
      isRead && this.#watchers.get(dir) !== undefined
    await this.#readAll([...this.#followed.values()].filter((followed) => !isAnnounced(followed)))
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers.values()) watcher?.close()
    this.#watchers.clear()
    this.#followed.clear()
  }

  async #readAll(all: Followed[]): Promise<void> {
    for (const [index, followed] of all.entries()) {
      this.#read(followed)
      if (index % 50 === 49) await new Promise(setImmediate)
    }
    this.#tendWatchers()
  }

  #read(followed: Followed): void {
    if (this.#followed.get(followed.key) !== followed) return
    followed.isRead = true
    const { records, reset, more } = followed.tail.readNew()
    if (reset) followed.state = followed.reader.start(followed.session)
    const told: AgentEvent[] = []
    for (const record of records) {
      const read = followed.reader.read(followed.state, record)
      followed.state = read.state
      if (read.event) told.push(read.event)
    }
    for (const event of newestOfEachKind(told)) this.#ingest.own(event, { recovered: true })
    if (more) setImmediate(() => this.#read(followed))
  }

  #watch(dir: string): boolean {
    try {
      const watcher = watch(dir, { persistent: false }, (_, name) => this.#noticed(dir, name))
      watcher.on('error', () => this.#unwatch(dir))
      this.#watchers.set(dir, watcher)
      return true
    } catch (error) {
      this.#log.debug({ dir, reason: messageOf(error) }, 'directory not watched')
      this.#watchers.set(dir, undefined)
      return false
    }
  }

  #unwatch(dir: string): void {
    this.#watchers.get(dir)?.close()
    this.#watchers.delete(dir)
  }

  #noticed(dir: string, name: string | null): void {
    for (const followed of this.#followed.values()) {
      if (followed.dir !== dir) continue
      if (name === null || name === basename(followed.path)) this.#read(followed)
    }
  }

  #tendWatchers(): void {
    const inUse = new Set([...this.#followed.values()].map(({ dir }) => dir))
    for (const dir of [...this.#watchers.keys()]) if (!inUse.has(dir)) this.#unwatch(dir)
    for (const dir of inUse) {
      // A directory that was not there yet may be there now.
      if (this.#watchers.get(dir) === undefined && existsSync(dir) && this.#watch(dir)) {
        this.#expectUnannounced(dir)
      }
    }
  }

  /** What was written before a watch began was not announced. */
  #expectUnannounced(dir: string): void {
    for (const followed of this.#followed.values()) {
      if (followed.dir === dir) followed.isRead = false
    }
  }
}

/** Of many claims read at once only the newest of each kind can matter to the evidence. */
function newestOfEachKind(events: AgentEvent[]): AgentEvent[] {
  const newest = new Map<string, AgentEvent>()
  for (const event of events) {
    const kind = JSON.stringify([event.kind, event.reason, event.block, event.subagent])
    const known = newest.get(kind)
    if (!known || known.at <= event.at) newest.set(kind, event)
  }
  return [...newest.values()].toSorted((a, b) => a.at - b.at)
}
