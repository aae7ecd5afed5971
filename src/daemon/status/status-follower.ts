import { basename, dirname, join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { type SessionKey, sessionKey } from '../../core/session/event.ts'
import type { Session } from '../../core/session/session.ts'
import { settlingMs, type TurnEnd } from '../../core/session/turn-end.ts'
import { isOvertaken } from '../../core/session/verdict.ts'
import type { StatusSource } from '../../harness/adapter/adapter.ts'
import { readSmallFile } from '../../harness/adapter/small-file.ts'
import { ADAPTERS, adapterFor } from '../../harness/registry.ts'
import { isGone } from '../../process/process-state.ts'
import type { Log } from '../../service/log.ts'
import { inodeOf, WatchedDirectory } from '../../service/watched-directory.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { PaneInventory } from '../panes/pane-inventory.ts'
import { paneOfProcess } from '../panes/process-pane.ts'
import {
  brokenMsLeft,
  type Followed,
  isOwnerGone,
  jobOriginIn,
  newFollowed,
  placeOf,
} from './followed-status.ts'
import {
  isLeftBehind,
  isUnpublished,
  newsIn,
  type Reading,
  readingOf,
  withdrawalOf,
} from './status-reading.ts'

/** How long after a prompt an older status may stay unchanged. */
const OVERTAKEN_MS = 2_000
/** How long after a start a status without a file may simply not have been read yet. */
const UNPUBLISHED_MS = 3_000
/** A process removes its file before it ends. We check for its end this long afterwards. */
const ENDING_MS = [50, 250, 1_000]

type Directory = {
  source: StatusSource
  files: WatchedDirectory
  /** Names of files whose process was gone when we first saw them: we do not even open those. */
  leftBehind: Set<string>
}

export type StatusParts = {
  ingest: Ingest
  inventory: PaneInventory
  log: Log
  env: NodeJS.ProcessEnv
  /** Checks at once whether the session's process still exists. */
  checkProcess(session: SessionKey): void
  /** What others reported about the end of its turn. */
  turnEnd(session: SessionKey): TurnEnd
}

/**
 * Reads what harnesses publish about themselves. It finds sessions that no hook ever reported, and sees an
 * answer as soon as somebody gives it.
 */
export class StatusFollower implements Disposable {
  readonly #parts: StatusParts
  readonly #directories = new Map<string, Directory>()
  readonly #files = new Map<string, Followed>()
  /** The processes of files that are named by the pid in a PID namespace. */
  readonly #owners = new Map<string, number>()
  readonly #startedAt = Date.now()

  constructor(parts: StatusParts) {
    this.#parts = parts
    for (const status of ADAPTERS.flatMap((adapter) => adapter.status ?? [])) {
      for (const env of [parts.env, { HOME: parts.env['HOME'] }]) {
        const directory = status.directory(env)
        if (directory) this.#know(directory, status)
      }
    }
  }

  /** The session's transcript shows where its harness publishes. */
  follow(session: Session): void {
    const source = adapterFor(session.harness)?.status
    const directory = session.transcript && source?.directoryFor(session.transcript)
    if (source && directory) this.followIn(directory, source)
  }

  followIn(directory: string, source: StatusSource): void {
    if (this.#directories.has(directory)) return
    this.#know(directory, source)
    this.#sweepDirectory(directory)
  }

  /** The file of a process that has another pid in its own namespace. The file may come later. */
  adopt(file: string, source: StatusSource, pid: number): void {
    this.#owners.set(file, pid)
    const followed = this.#files.get(file)
    if (followed) {
      followed.stamp = ''
      followed.isLeftBehind = false
    }
    const directory = this.#directories.get(dirname(file))
    if (directory) this.#noticed(dirname(file), { ...directory, source }, basename(file))
  }

  /** Reads every file again; an unchanged one costs a look at its inode. */
  sweep(): void {
    for (const directory of this.#directories.keys()) this.#sweepDirectory(directory)
  }

  /**
   * Repeats what a harness still publishes if something newer was reported: a prompt, or the end of one of two
   * processes that had the same session.
   */
  confirm(sessions: Iterable<Session>, now: number): void {
    const published = new Set([...this.#files.values()].map(({ reading }) => reading?.session))
    for (const session of sessions) {
      const { id, pid, verdict, evidence, lastAt } = session
      if (now - lastAt <= OVERTAKEN_MS) continue
      if (!published.has(id)) {
        if (Date.now() - this.#startedAt < UNPUBLISHED_MS || !isUnpublished(session)) continue
        const about = { harness: session.harness, session: id }
        this.#parts.ingest.own(withdrawalOf(about, 'it publishes no status any more'), 'tailed')
      } else if (verdict.state === 'ended') this.#confirm(id, (reading) => reading.pid !== pid)
      else if (isOvertaken(evidence) || evidence.status?.claim === 'unclear') this.#confirm(id)
    }
  }

  /** Whether the process with this file publishes its own status. */
  isPublished(file: string): boolean {
    const followed = this.#files.get(file)
    return followed ? !followed.isMisunderstood && !followed.isLeftBehind : inodeOf(file) !== 0
  }

  /** The session that became this job, and the pane in which its process shows the job now. */
  readonly originOf = (job: string) => jobOriginIn(this.#files.values(), job)

  /** Sweeps the directories that cannot be watched. */
  sweepUnwatched(): void {
    for (const [path, { files }] of this.#directories) {
      if (!files.isWatched) this.#sweepDirectory(path)
    }
  }

  [Symbol.dispose](): void {
    for (const { files } of this.#directories.values()) files[Symbol.dispose]()
    for (const { timer } of this.#files.values()) clearTimeout(timer)
    for (const known of [this.#directories, this.#files]) known.clear()
  }

  #confirm(session: string, fits: (reading: Reading) => boolean = () => true): void {
    for (const followed of this.#files.values()) {
      if (followed.reading?.session !== session || !fits(followed.reading)) continue
      this.#read(followed)
      const event = followed.reading.events.at(-1)
      if (event && !isLeftBehind(followed.reading)) {
        followed.lastEventAt = Date.now()
        const pane = placeOf(event, followed)
        this.#parts.ingest.own({ ...event, ...pane, at: followed.lastEventAt }, 'tailed')
      }
    }
  }

  #know(path: string, source: StatusSource): void {
    if (this.#directories.has(path)) return
    const files = new WatchedDirectory(path, this.#parts.log, (name) => {
      if (name === null) this.#sweepDirectory(path)
      else this.#noticed(path, directory, name)
    })
    const directory = { source, files, leftBehind: new Set<string>() }
    this.#directories.set(path, directory)
  }

  #sweepDirectory(path: string): void {
    const directory = this.#directories.get(path)
    if (!directory) return
    const names = new Set(directory.files.names())
    for (const name of directory.leftBehind) {
      if (!names.has(name)) directory.leftBehind.delete(name)
    }
    for (const name of names) {
      if (directory.leftBehind.has(name)) continue
      if (!this.#files.get(join(path, name))?.isLeftBehind) this.#noticed(path, directory, name)
    }
    for (const followed of [...this.#files.values()]) {
      if (dirname(followed.path) !== path || names.has(basename(followed.path))) continue
      this.#read(followed)
    }
  }

  #noticed(path: string, { source, leftBehind }: Directory, name: string): void {
    if (!source.isStatusFile(name)) return
    const file = join(path, name)
    let followed = this.#files.get(file)
    if (!followed) {
      if (isGone(this.#owners.get(file) ?? source.pidOf(name))) {
        leftBehind.add(name)
        return
      }
      leftBehind.delete(name)
      followed = newFollowed(file, source)
      this.#files.set(file, followed)
    }
    this.#read(followed)
  }

  /** Never throws: the next sweep reads again what could not be stored. */
  #read(followed: Followed): void {
    if (this.#files.get(followed.path) !== followed) return
    try {
      this.#take(followed)
    } catch (error) {
      followed.stamp = ''
      this.#parts.log.error(
        { path: followed.path, reason: messageOf(error) },
        'status not taken in',
      )
    }
  }

  #take(followed: Followed): void {
    const content = readSmallFile(followed.path, followed.stamp)
    if (content.kind === 'same') return
    if (content.kind === 'gone') {
      this.#lost(followed)
      return
    }
    const owner = this.#owners.get(followed.path)
    const reading = readingOf(content, followed, owner, this.#parts.ingest.nameOf)
    followed.brokenSince = reading.ok ? undefined : (followed.brokenSince ?? Date.now())
    const msLeft = reading.ok ? this.#settlingMs(followed, reading) : brokenMsLeft(followed)
    if (msLeft > 0) {
      this.#later(followed, msLeft)
      return
    }
    followed.stamp = content.stamp
    followed.isLeftBehind = reading.ok ? isLeftBehind(reading) : isOwnerGone(followed, owner)
    followed.isMisunderstood = !reading.ok
    if (followed.isLeftBehind) return
    if (reading.ok) this.#accept(followed, reading)
    else this.#misunderstood(followed, reading.why)
  }

  #accept(followed: Followed, reading: Reading): void {
    const before = followed.reading
    const isNew = before?.session !== reading.session || before.pid !== reading.pid
    followed.reading = reading
    clearTimeout(followed.timer)
    if (before && isNew) this.#succeeded(before, reading)
    if (isNew || !followed.pane) {
      followed.pane = paneOfProcess(reading.pid, this.#parts.inventory)
    }
    for (const event of newsIn(reading, before, followed.lastEventAt)) {
      this.#parts.ingest.own({ ...event, ...placeOf(event, followed) }, before ? 'tailed' : 'found')
      followed.lastEventAt = event.at
    }
  }

  /** One process shows one session: `/clear` and `/resume` continue with another. */
  #succeeded(before: Reading, after: Reading): void {
    const [event] = before.events
    if (!event || before.session === after.session) return
    const detail = `its process went on to session ${after.session}`
    this.#parts.ingest.own({ ...event, kind: 'ended', at: Date.now(), detail }, 'tailed')
  }

  #misunderstood(followed: Followed, why: string): void {
    this.#parts.log.warn({ path: followed.path, why }, 'status file not understood')
    this.#withdraw(followed, `${basename(followed.path)} is not understood: ${why}`)
  }

  #lost(followed: Followed): void {
    followed.stamp = ''
    const { reading } = followed
    if (!reading) {
      this.#files.delete(followed.path)
      return
    }
    const [harness = ''] = reading.events.map((event) => event.harness)
    const look = (step: number) => {
      if (this.#files.get(followed.path) !== followed) return
      this.#parts.checkProcess(sessionKey(harness, reading.session))
      const wait = ENDING_MS[step]
      if (inodeOf(followed.path) !== 0) this.#read(followed)
      else if (wait !== undefined) followed.timer = setTimeout(look, wait, step + 1).unref()
      else {
        this.#withdraw(followed, `${basename(followed.path)} was taken away`)
        this.#files.delete(followed.path)
      }
    }
    clearTimeout(followed.timer)
    look(0)
  }

  /** Its status no longer counts, and the next source does: another file, or another kind of signal. */
  #withdraw(followed: Followed, detail: string): void {
    const { reading } = followed
    const event = reading?.events.at(-1)
    followed.reading = undefined
    if (!event || !reading || isLeftBehind(reading)) return
    if ([...this.#files.values()].some((other) => other.reading?.session === reading.session)) {
      this.#confirm(reading.session)
      return
    }
    followed.lastEventAt = Date.now()
    this.#parts.ingest.own(withdrawalOf(event, detail), 'tailed')
  }

  #settlingMs({ reading: before }: Followed, { isBrief, events }: Reading): number {
    const idle = events.at(-1)
    if (!isBrief || !idle || before?.events.at(-1)?.kind !== 'unstuck') return 0
    const turnEnd = this.#parts.turnEnd(sessionKey(idle.harness, idle.session))
    return settlingMs(idle, turnEnd, Date.now())
  }

  #later(followed: Followed, ms: number): void {
    clearTimeout(followed.timer)
    followed.timer = setTimeout(() => this.#read(followed), ms).unref()
  }
}
