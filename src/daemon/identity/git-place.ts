import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { readSmallFileSoon } from '../../harness/adapter/small-file.ts'
import { shownText } from './shown-text.ts'

/** Where a directory is in git, safe to show. */
export type GitPlace = {
  /** The name of the repository, also in a linked worktree; outside of any, that of the directory. */
  project?: string
  /** The branch, or the start of the commit if none is checked out. */
  branch?: string
  /** The directory of a linked worktree, without its path. */
  worktree?: string
}

type Known = {
  place: GitPlace
  /** The file that changes with the branch, as it was. */
  head: { path: string; stamp: string } | undefined
  foundAt: number
  checkedAt: number
}

const CHECK_AGAIN_MS = 1_000
const FIND_AGAIN_MS = 10_000
/** More than there are sessions: one that is in use and forgotten would look new at every look. */
const MOST_KNOWN = 10_000

/**
 * Reads `.git` by itself, because a process for each session would cost too much. Whatever it cannot read is left out.
 * A directory costs one look at its HEAD per second at most, however many sessions are in it. It never waits: a
 * directory may be on a file system that does not answer, so they are read one after the other, in the background.
 */
export class GitPlaces {
  readonly #known = new Map<string, Known>()
  readonly #due = new Set<string>()
  readonly #home: string | undefined
  readonly #changed: () => void
  readonly #now: () => number
  #reading: Promise<void> | undefined
  /** Something has not been read within the time that somebody waited. */
  #isHeldUp = false

  /** `changed`: a place is another one than the last time that it was asked for. */
  constructor(
    home: string | undefined,
    changed: () => void = () => {},
    now: () => number = () => performance.now(),
  ) {
    this.#home = home
    this.#changed = changed
    this.#now = now
  }

  /** As it was at the last look; until the first one, only the directory's name is known. */
  placeOf(cwd: string): GitPlace {
    if (this.#isStale(cwd)) this.#readSoon(cwd)
    return this.#known.get(cwd)?.place ?? shownPlace({ project: basename(cwd) })
  }

  /** Resolves when these are at most a second old, or after `ms`; at once while a file system does not answer. */
  async freshen(cwds: Iterable<string>, ms: number): Promise<void> {
    for (const cwd of cwds) if (this.#isStale(cwd)) this.#readSoon(cwd)
    if (!this.#reading || this.#isHeldUp) return
    const timeout = new AbortController()
    const late = delay(ms, 'late', { signal: timeout.signal, ref: false }).catch(() => undefined)
    if ((await Promise.race([this.#reading, late])) === 'late') this.#isHeldUp = true
    timeout.abort()
  }

  /** As it is now. */
  async read(cwd: string): Promise<GitPlace> {
    const now = this.#now()
    const known = this.#known.get(cwd)
    if (known && now - known.foundAt < FIND_AGAIN_MS && (await isUnchanged(known))) {
      known.checkedAt = this.#now()
      return known.place
    }
    const { place, head } = await findPlace(cwd, this.#home)
    const found = { place: shownPlace(place), head, foundAt: now, checkedAt: this.#now() }
    this.#known.delete(cwd)
    this.#known.set(cwd, found)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest)
    return found.place
  }

  #isStale(cwd: string): boolean {
    const known = this.#known.get(cwd)
    return !known || this.#now() - known.checkedAt >= CHECK_AGAIN_MS
  }

  #readSoon(cwd: string): void {
    this.#due.add(cwd)
    this.#reading ??= this.#readDue()
  }

  async #readDue(): Promise<void> {
    let hasChanged = false
    for (const cwd of this.#due) {
      const before = this.#known.get(cwd)?.place ?? shownPlace({ project: basename(cwd) })
      hasChanged = !isDeepStrictEqual(await this.read(cwd), before) || hasChanged
      this.#due.delete(cwd)
    }
    this.#reading = undefined
    this.#isHeldUp = false
    if (hasChanged) this.#changed()
  }
}

async function isUnchanged({ head }: Known): Promise<boolean> {
  return head === undefined || (await readSmallFileSoon(head.path, head.stamp)).kind === 'same'
}

type Found = Pick<Known, 'place' | 'head'>

/** Whoever keeps the dotfiles of a home in git does not work on them in every directory below. */
async function findPlace(cwd: string, home: string | undefined): Promise<Found> {
  const begin = resolve(cwd)
  for (let root = begin; ; root = dirname(root)) {
    const found = root === home && root !== begin ? undefined : await placeAt(root)
    if (found) return found
    if (root === dirname(root)) return { place: { project: basename(cwd) }, head: undefined }
  }
}

function shownPlace(place: GitPlace): GitPlace {
  const texts = Object.entries(place).map(([name, text]) => [name, shownText(text)])
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined))
}

/** The place whose working tree begins here; undefined if none does. */
async function placeAt(root: string): Promise<Found | undefined> {
  const path = join(root, '.git')
  const kind = await kindOf(path)
  if (kind === 'none') return undefined
  const project = basename(root)
  if (kind === 'directory') {
    const head = await readHead(path)
    // Git, too, passes over a directory without a HEAD.
    return head && { place: { project, ...head.branch }, head: head.file }
  }
  const gitDirectory = await pathIn(path, /^gitdir: (.+?)\s*$/)
  if (gitDirectory === undefined) return undefined
  const head = await readHead(gitDirectory)
  const common = await pathIn(join(gitDirectory, 'commondir'), /^(.+?)\s*$/)
  const names = common ? { project: repositoryName(common), worktree: project } : { project }
  return { place: { ...names, ...head?.branch }, head: head?.file }
}

async function kindOf(path: string): Promise<'file' | 'directory' | 'none'> {
  try {
    const found = await stat(path)
    return found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'none'
  } catch {
    return 'none'
  }
}

/** The path in a file that consists of it; relative ones begin at the file's own directory. */
async function pathIn(file: string, pattern: RegExp): Promise<string | undefined> {
  const read = await readSmallFileSoon(file, '')
  const path = read.kind === 'read' ? pattern.exec(read.text)?.[1] : undefined
  return path === undefined || path.includes('\0') ? undefined : resolve(dirname(file), path)
}

/** `…/api/.git`, `…/api/.bare` and `…/api.git` are all those of `api`. */
function repositoryName(gitDirectory: string): string {
  const name = basename(gitDirectory)
  return name.startsWith('.') ? basename(dirname(gitDirectory)) : name.replace(/\.git$/, '')
}

async function readHead(
  gitDirectory: string,
): Promise<{ branch: { branch?: string }; file: NonNullable<Known['head']> } | undefined> {
  const path = join(gitDirectory, 'HEAD')
  const read = await readSmallFileSoon(path, '')
  if (read.kind !== 'read') return undefined
  const branch = branchIn(read.text)
  return { branch: branch ? { branch } : {}, file: { path, stamp: read.stamp } }
}

function branchIn(head: string): string | undefined {
  const [line = ''] = head.split('\n')
  const [, name] = /^ref: refs\/(?:heads\/)?(.+)$/.exec(line) ?? []
  // A repository with another store for its refs has a HEAD that says nothing.
  if (name !== undefined) return name === '.invalid' ? undefined : name
  return /^[0-9a-f]{40,64}$/.test(line) ? line.slice(0, 7) : undefined
}
