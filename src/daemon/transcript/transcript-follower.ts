import { existsSync, type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import type { AgentEvent, SessionKey } from '../../core/session/event.ts'
import { type Evidence, noEvidence, openBlocks } from '../../core/session/evidence.ts'
import { relevantClaims } from '../../core/session/relevant-claims.ts'
import type { Session } from '../../core/session/session.ts'
import type { TranscriptReader } from '../../harness/adapter/adapter.ts'
import { adapterFor } from '../../harness/registry.ts'
import { JsonlTail, type TailRead } from '../../harness/transcript/jsonl-tail.ts'
import type { Log } from '../../service/log.ts'
import { letOthersIn } from '../../service/loop.ts'
import type { Herd } from '../herd/herd.ts'
import type { Ingest } from '../ingest/ingest.ts'

/** A hook that is later than this came from the spool, before any sweep. */
const LATE_HOOK_MS = 60_000

/** How much of a transcript's end is read at first: the last lines of a turn show its state. */
const FIRST_BYTES = 32 * 1024
/** If a permission is open, we also need the beginning of its tool. */
const FIRST_BYTES_IF_ASKED = 512 * 1024
/** If the end claims nothing, we read again from further back, at most this far. */
const MOST_FIRST_BYTES = 4 * 1024 * 1024
const AT_ONCE = 50
const BUDGET_BYTES = 1024 * 1024

type Followed = {
  key: SessionKey
  session: string
  path: string
  dir: string
  /** Begins with the first read, and again when that did not reach far enough back. */
  tail: JsonlTail | undefined
  firstBytes: number
  reader: TranscriptReader
  state: unknown
  /** Something in it has claimed a state. */
  hasClaimed: boolean
  wasThere: boolean
  /** We looked for it before it existed, so everything in it is new. */
  isAwaited: boolean
  /** Read after its directory was watched, so every later change is announced. */
  isRead: boolean
  /** Why the last read failed; empty if it did not, or if the file was never there. */
  trouble: string
}

/**
 * Reads what harnesses write to their transcripts: the truth that survives a dropped hook, a restart and an
 * answer typed in the pane. It sees a change at once if the system can watch the directory, and otherwise with
 * a sweep.
 */
export class TranscriptFollower implements Disposable {
  readonly #herd: Herd
  readonly #ingest: Ingest
  readonly #log: Log
  readonly #followed = new Map<SessionKey, Followed>()
  /** Transcripts whose changes may not be announced. */
  readonly #unannounced = new Set<Followed>()
  readonly #watchers = new Map<string, FSWatcher | undefined>()
  #bytesRead = 0

  constructor(herd: Herd, ingest: Ingest, log: Log) {
    this.#herd = herd
    this.#ingest = ingest
    this.#log = log
    for (const session of herd.sessions()) this.follow(session)
  }

  /** How many bytes reading all transcripts has cost so far. */
  get bytesRead(): number {
    return this.#bytesRead
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
    const dir = dirname(transcript)
    const followed: Followed = {
      key,
      session: session.id,
      path: transcript,
      dir,
      tail: undefined,
      firstBytes: FIRST_BYTES,
      reader,
      state: reader.start(session.id),
      hasClaimed: false,
      wasThere: false,
      isAwaited: false,
      isRead: false,
      trouble: '',
    }
    this.#followed.set(key, followed)
    this.#unannounced.add(followed)
    if (!this.#watchers.has(dir)) this.#watch(dir)
  }

  /** Reads everything new in every transcript we follow. */
  async sweep(): Promise<void> {
    await this.#readAll([...this.#followed.values()])
  }

  /** The same, but only for transcripts whose changes would not be announced. */
  async sweepUnwatched(): Promise<void> {
    if (this.#unannounced.size === 0) return
    await this.#readAll([...this.#unannounced])
    for (const followed of this.#unannounced) {
      const isOver = this.#followed.get(followed.key) !== followed
      if (isOver || this.#isAnnounced(followed)) {
        this.#unannounced.delete(followed)
      }
    }
  }

  /** The same for one session, now: the directory of a new project is not watched from its first line. */
  catchUp(key: SessionKey): void {
    const followed = this.#followed.get(key)
    if (!followed || this.#isAnnounced(followed)) return
    this.#watchIfThere(followed.dir)
    this.#read(followed)
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers.values()) watcher?.close()
    this.#watchers.clear()
    this.#followed.clear()
    this.#unannounced.clear()
  }

  async #readAll(all: Followed[]): Promise<void> {
    for (let index = 0; index < all.length; index += AT_ONCE) {
      this.#herd.atOnce(() => {
        for (const followed of all.slice(index, index + AT_ONCE)) this.#read(followed)
      })
      await letOthersIn()
    }
    this.#tendWatchers()
  }

  /** Never throws: the next sweep reads again what could not be stored. */
  #read(followed: Followed): void {
    if (this.#followed.get(followed.key) !== followed) return
    try {
      this.#take(followed)
    } catch (error) {
      this.#log.error({ path: followed.path, reason: messageOf(error) }, 'transcript not taken in')
      followed.tail = undefined
      followed.state = followed.reader.start(followed.session)
      followed.isRead = false
      this.#unannounced.add(followed)
    }
  }

  #take(followed: Followed): void {
    followed.isRead = true
    const isFirst = !followed.tail
    const arrival = isFirst && !followed.isAwaited ? 'found' : 'tailed'
    if (isFirst && openBlocks(this.#evidenceOf(followed)).length > 0) {
      followed.firstBytes = Math.max(followed.firstBytes, FIRST_BYTES_IF_ASKED)
    }
    const { claims, read } = readNew(followed)
    this.#bytesRead += read.bytes
    this.#report(followed, read)
    if (isFirst && isTooShort(followed, read)) {
      this.#readFurtherBack(followed)
      return
    }
    if (claims.length > 0) {
      const evidence = this.#evidenceOf(followed)
      const telling = relevantClaims(claims, evidence, Date.now() - LATE_HOOK_MS)
      for (const event of telling) this.#ingest.own(event, arrival)
    }
    if (read.more) setImmediate(() => this.#read(followed))
  }

  #evidenceOf({ key }: Followed): Evidence {
    return this.#herd.session(key)?.evidence ?? noEvidence
  }

  /** Logs once what is wrong with a file. What was read from it before still counts. */
  #report(followed: Followed, { outcome, reason, skipped, reset }: TailRead): void {
    const { path, session } = followed
    const about = { session_id: session, path }
    if (skipped > 0)
      this.#log.warn({ ...about, lines: skipped }, 'damaged transcript lines skipped')
    if (reset) this.#log.info(about, 'transcript replaced by another file')
    const trouble =
      outcome === 'read' ? '' : outcome === 'unreadable' ? (reason ?? 'unreadable') : 'it is gone'
    if (trouble === followed.trouble || (outcome === 'missing' && !followed.wasThere)) return
    followed.trouble = trouble
    if (trouble === '') this.#log.info(about, 'transcript readable again')
    else this.#log.warn({ ...about, reason: trouble }, 'transcript not readable')
  }

  #readFurtherBack(followed: Followed): void {
    followed.firstBytes *= 8
    followed.tail = undefined
    followed.state = followed.reader.start(followed.session)
    this.#read(followed)
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

  #isAnnounced({ dir, isRead }: Followed): boolean {
    return isRead && this.#watchers.get(dir) !== undefined
  }

  #unwatch(dir: string): void {
    this.#watchers.get(dir)?.close()
    this.#watchers.delete(dir)
    this.#expectUnannounced(dir)
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
    for (const dir of inUse) this.#watchIfThere(dir)
  }

  /** A directory that did not exist before may exist now. */
  #watchIfThere(dir: string): void {
    if (this.#watchers.get(dir) !== undefined || !existsSync(dir)) return
    if (this.#watch(dir)) this.#expectUnannounced(dir)
  }

  /** Writes from before the watch were not announced. */
  #expectUnannounced(dir: string): void {
    for (const followed of this.#followed.values()) {
      if (followed.dir !== dir) continue
      followed.isRead = false
      this.#unannounced.add(followed)
    }
  }
}

/** Whether the end of a transcript claims nothing, or ends a turn whose words stand further up. */
function isTooShort({ firstBytes, hasClaimed, reader, state }: Followed, read: TailRead): boolean {
  if (read.more || read.records.length === 0 || firstBytes >= MOST_FIRST_BYTES) return false
  return !hasClaimed || reader.isLacking(state)
}

/** What the new lines of a transcript claim. */
function readNew(followed: Followed): { claims: AgentEvent[]; read: TailRead } {
  const { path, firstBytes } = followed
  // The first read is not cut in pieces, because the whole end counts.
  const budgetBytes = Math.max(firstBytes, BUDGET_BYTES)
  followed.tail ??= new JsonlTail(path, { firstBytes, budgetBytes })
  const read = followed.tail.readNew()
  if (read.reset) followed.state = followed.reader.start(followed.session)
  const claims: AgentEvent[] = []
  for (const record of read.records) {
    const { state, event } = followed.reader.read(followed.state, record)
    followed.state = state
    if (event) claims.push(event)
  }
  followed.hasClaimed ||= claims.length > 0
  followed.wasThere ||= read.outcome !== 'missing'
  if (!followed.wasThere) {
    followed.tail = undefined
    followed.isAwaited = true
  }
  return { claims, read }
}
