import {
  type Dirent,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Paths } from '../../config/paths.ts'
import { HOOK_BODY_BYTES } from '../../contract/limits.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { redacted } from '../../core/redact/redaction.ts'
import type { Log } from '../../service/log.ts'
import { WatchedDirectory } from '../../service/watched-directory.ts'
import type { Ingest } from './ingest.ts'

const STALE_TEMPORARY_MS = 60_000
const MAX_BAD_FILES = 100
/** Enough for somebody to inspect it. */
const MAX_BAD_BYTES = 64 * 1024

export type SpoolSettings = {
  paths: Pick<Paths, 'spool' | 'hungMark'>
  log: Log
  failed: (error: unknown) => void
  storeAtOnce: StoreAtOnce
}

/** Where emitters leave events that may not have reached the daemon. */
export class Spool implements Disposable {
  readonly #settings: SpoolSettings
  readonly #ingest: Ingest
  readonly #watched: WatchedDirectory
  #emptySoon: NodeJS.Immediate | undefined

  constructor(settings: SpoolSettings, ingest: Ingest) {
    this.#settings = settings
    this.#ingest = ingest
    this.#watched = new WatchedDirectory(settings.paths.spool, settings.log, (name) => {
      if (name === null || isEventFile(name))
        this.#emptySoon ??= setImmediate(() => this.#tryToEmpty())
    })
  }

  /**
   * From now on, takes in an event as soon as it arrives: an emitter that finds the mark of a hung daemon does
   * not check whether the daemon is back.
   */
  follow(): void {
    this.#watched.watch()
    this.empty()
  }

  empty(): void {
    const { paths, log, storeAtOnce } = this.#settings
    rmSync(paths.hungMark, { force: true })
    const { taken } = emptySpool(paths.spool, this.#ingest, log, storeAtOnce)
    if (taken > 0) log.info({ taken }, 'spool emptied')
  }

  [Symbol.dispose](): void {
    clearImmediate(this.#emptySoon)
    this.#watched[Symbol.dispose]()
  }

  #tryToEmpty(): void {
    this.#emptySoon = undefined
    try {
      this.empty()
    } catch (error) {
      this.#settings.failed(error)
    }
  }
}

/** What emptying it did. `left`: files that wait for the next time. */
export type Emptied = { taken: number; bad: number; left: number }

/** Runs the work and returns once everything from it is on disk; throws if it is not. */
export type StoreAtOnce = (work: () => void) => void

/**
 * Takes in the events that emitters wrote while nobody answered, oldest first and at most `most` at
 * once. A file is removed only after its event is stored; one that makes no sense is kept in `bad/`,
 * without its secrets, and logged.
 */
export function emptySpool(
  dir: string,
  ingest: Ingest,
  log: Log,
  storeAtOnce: StoreAtOnce,
  most = 200,
): Emptied {
  const entries = readdirSync(dir, { withFileTypes: true })
  const names = eventFiles(entries)
  const emptied: Emptied = { taken: 0, bad: 0, left: Math.max(0, names.length - most) }
  const taken: string[] = []
  try {
    if (names.length > 0) {
      storeAtOnce(() => {
        for (const name of names.slice(0, most)) if (take(name)) taken.push(name)
      })
    }
    for (const name of taken) rmSync(join(dir, name))
    emptied.taken = taken.length
  } catch (error) {
    emptied.left += taken.length
    log.error({ files: taken.length, reason: messageOf(error) }, 'spooled events not stored')
  }
  removeStaleTemporaries(dir, entries)
  return emptied

  function take(name: string): boolean {
    const file = join(dir, name)
    try {
      if (statSync(file).size > HOOK_BODY_BYTES) throw new TrailBossError('TOO_LARGE', 'too large')
      ingest.hook(parse(readFileSync(file, 'utf8')), 'found')
      return true
    } catch (error) {
      const reason = messageOf(error)
      if (error instanceof TrailBossError && keepAsBad(dir, name)) {
        emptied.bad += 1
        log.warn({ file: name, reason }, 'spooled event not understood')
      } else {
        emptied.left += 1
        log.error({ file: name, reason }, 'spooled event not stored')
      }
      return false
    }
  }
}

/** By the time in their name, which is when the hook fired. Only regular files. */
function eventFiles(entries: readonly Dirent[]): string[] {
  return entries
    .filter((entry) => entry.isFile() && isEventFile(entry.name))
    .map((entry) => entry.name)
    .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10) || a.localeCompare(b))
}

function isEventFile(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new TrailBossError('BAD_EVENT', messageOf(error))
  }
}

function keepAsBad(dir: string, name: string): boolean {
  const bad = join(dir, 'bad')
  try {
    mkdirSync(bad, { recursive: true, mode: 0o700 })
    const bytes = readFileSync(join(dir, name))
    const isCut = bytes.length > MAX_BAD_BYTES
    const content = bytes.subarray(0, MAX_BAD_BYTES).toString() + (isCut ? '…' : '')
    writeFileSync(join(bad, name), redacted(content), { mode: 0o600 })
    rmSync(join(dir, name))
    const kept = readdirSync(bad).toSorted()
    for (const old of kept.slice(0, Math.max(0, kept.length - MAX_BAD_FILES))) {
      rmSync(join(bad, old))
    }
    return true
  } catch {
    return false
  }
}

/** An emitter that was killed leaves its temporary file behind. */
function removeStaleTemporaries(dir: string, entries: readonly Dirent[]): void {
  for (const { name } of entries) {
    if (!name.startsWith('.')) continue
    const file = join(dir, name)
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat?.isFile() && Date.now() - stat.mtimeMs > STALE_TEMPORARY_MS)
      rmSync(file, { force: true })
  }
}
