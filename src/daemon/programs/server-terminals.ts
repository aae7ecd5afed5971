import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import {
  type AgentEvent,
  JOB_NAME,
  type SessionKey,
  type Source,
} from '../../core/session/event.ts'
import type { Session } from '../../core/session/session.ts'
import { verdictOf } from '../../core/session/verdict.ts'
import type { SharedDaemon, SharedSession, SharedTerminal } from '../../harness/adapter/adapter.ts'
import { adapterFor } from '../../harness/registry.ts'
import { argvOf } from '../../process/command.ts'
import { environmentOf } from '../../process/environment.ts'
import { processState, startedAtOf } from '../../process/process-state.ts'
import type { PanesNews } from '../../tmux/control/panes-subscription.ts'
import type { Herd } from '../herd/herd.ts'
import type { Ingest, Place } from '../ingest/ingest.ts'
import type { FoundProgram } from './found-program.ts'
import type { Programs } from './programs.ts'

/** A session has left its terminal after this many looks in a row without a sign of it. */
const MISSES_UNTIL_LEFT = 3
const MAX_NAMES_BYTES = 4 * 2 ** 20

type Terminal = SharedTerminal & { program: FoundProgram }
/** A session that a server runs, and the terminal that shows it, if known. */
type Served = {
  server: Place
  terminal: FoundProgram | undefined
  misses: number
  /** Its terminal went away before it had finished, and no other has shown it since. */
  isLeft: boolean
}

/**
 * Which terminal shows a session that a server of its harness runs. The hooks of such a session come from the
 * server, whose pane, if any, belongs to whoever started it. A session gets a pane only if its harness
 * identifies it for certain.
 */
export class ServerTerminals {
  readonly #herd: Herd
  readonly #programs: () => Programs
  readonly #ingest: () => Ingest
  readonly #titles = new Map<string, Map<string, string>>()
  readonly #served = new Map<SessionKey, Served>()
  readonly #names = new Map<string, { mtimeMs: number; names: Map<string, string> }>()

  /** `later`: components that are created after this one. */
  constructor(herd: Herd, later: { programs: () => Programs; ingest: () => Ingest }) {
    this.#herd = herd
    this.#programs = later.programs
    this.#ingest = later.ingest
    for (const { key, harness, job, pid, pidStart } of herd.current()) {
      if (job === undefined || pid === undefined || !adapterFor(harness)?.sharedDaemon) continue
      const server = { job, pid, ...(pidStart !== undefined && { pidStart }) }
      this.#served.set(key, newServed(server))
    }
  }

  /** Whether there are sessions whose terminals are identified by pane titles. */
  get isServing(): boolean {
    return this.#served.size > 0
  }

  news(socket: string, news: PanesNews): void {
    if (!news) return
    this.#titles.set(socket, new Map([...news.panes].map(([id, { title }]) => [id, title])))
  }

  /**
   * The place of a session whose hook has just come from this server. Undefined: the server puts away what nobody
   * shows, although its human has not seen how it finished.
   */
  placeFor(key: SessionKey, event: AgentEvent, origin: Place): Place | undefined {
    const server = { ...origin, ...jobOf(event) }
    const served = this.#served.get(key) ?? newServed(server)
    served.server = server
    this.#served.set(key, served)
    const session = this.#herd.session(key)
    if (event.kind === 'ended' && served.isLeft && session?.verdict.state === 'stuck') {
      return undefined
    }
    if (served.terminal && !isThere(served.terminal) && session && !hasFinished(session)) {
      served.isLeft = true
    }
    // A human was there.
    if (event.label === 'interrupted') served.isLeft = false
    if (!served.terminal || !isThere(served.terminal)) {
      this.#show(served, this.#terminalFor(key, event))
    }
    return served.terminal ? placeOf(served.terminal) : server
  }

  /**
   * Whether a session continues without its terminal, which is gone: the server runs it. If it had finished, its human
   * closed it.
   */
  goesOn(session: Session): boolean {
    const served = this.#served.get(session.key)
    if (!served?.terminal || served.terminal.pid !== session.pid) return false
    if (!isRunning(served.server) || hasFinished(session)) return false
    this.#show(served, undefined)
    served.isLeft = true
    // Its terminal may have asked what should happen to it.
    const isAskedThere = session.verdict.state === 'stuck' && session.verdict.by === 'screen'
    const detail = `its terminal is gone, and process ${served.server.pid} runs it`
    this.#move(session, served.server, isAskedThere ? 'screen' : 'process', detail)
    return true
  }

  /** Checks that each session is where it was, and searches for those without a terminal. */
  look(): void {
    for (const [key, served] of this.#served) {
      const session = this.#herd.session(key)
      if (!session || session.verdict.state === 'ended') this.#served.delete(key)
      else if (served.isLeft && isRemoved(session)) this.#end(session)
      else this.#lookAt(session, served)
    }
  }

  #lookAt(session: Session, served: Served): void {
    const terminal = this.#terminalFor(session.key, session)
    const isSame = terminal?.pid === served.terminal?.pid
    served.misses = terminal || isSame ? 0 : served.misses + 1
    if (isSame || (!terminal && served.misses < MISSES_UNTIL_LEFT)) return
    this.#show(served, terminal)
    const place = terminal ? placeOf(terminal) : served.server
    const detail = terminal
      ? `process ${terminal.pid} shows it`
      : `process ${served.server.pid} runs it, and no terminal is known to show it`
    this.#move(session, place, 'process', detail)
  }

  #show(served: Served, terminal: FoundProgram | undefined): void {
    served.terminal = terminal
    served.misses = 0
    if (terminal) served.isLeft = false
  }

  #move({ harness, id }: Session, place: Place, source: Source, detail: string): void {
    const about = { v: 1, harness, session: id, source, at: Date.now() } as const
    this.#ingest().own({ ...about, kind: 'seen', ...place, detail }, 'tailed')
  }

  #end({ harness, id }: Session): void {
    const about = { v: 1, harness, session: id, source: 'process', at: Date.now() } as const
    this.#ingest().own({ ...about, kind: 'ended', detail: 'its transcript is gone' }, 'tailed')
  }

  #terminalFor(
    key: SessionKey,
    {
      harness,
      transcript,
      cwd,
    }: Pick<AgentEvent, 'harness'> & Partial<Pick<Session, 'transcript' | 'cwd'>>,
  ): FoundProgram | undefined {
    const sharedDaemon = adapterFor(harness)?.sharedDaemon
    const known = this.#herd.session(key)
    const path = transcript ?? known?.transcript
    const home = path === undefined ? undefined : sharedDaemon?.homeOf(path)
    if (!sharedDaemon || home === undefined) return undefined
    const names = this.#namesIn(home, sharedDaemon)
    const id = key.slice(harness.length + 1)
    const session = { id, name: names.get(id), cwd: cwd ?? known?.cwd }
    const others = this.#sessionsIn(home, sharedDaemon, names).filter((other) => other.id !== id)
    return sharedDaemon.terminalOf(session, others, this.#terminalsOf(harness, home, sharedDaemon))
      ?.program
  }

  /** Sessions that run in no process of their own, as far as we know, and all open ones. */
  #sessionsIn(
    home: string,
    sharedDaemon: SharedDaemon,
    names: Map<string, string>,
  ): SharedSession[] {
    const known = [...this.#served.keys()].flatMap((key) => this.#herd.session(key) ?? [])
    const cwds = new Map(known.map(({ id, cwd }) => [id, cwd]))
    const open = namesOfFiles(sharedDaemon.openDirectory(home)).flatMap(
      (file) => sharedDaemon.openIn(file) ?? [],
    )
    return [...new Set([...open, ...cwds.keys()])].map((id) => ({
      id,
      name: names.get(id),
      cwd: cwds.get(id),
    }))
  }

  #terminalsOf(harness: string, home: string, sharedDaemon: SharedDaemon): Terminal[] {
    return [...this.#programs().found()].flatMap((program) => {
      const { pid, pane } = program
      const title = this.#titles.get(pane.socket)?.get(pane.id)
      const startedAt = startedAtOf(pid)
      if (program.adapter?.harness !== harness || title === undefined || startedAt === undefined) {
        return []
      }
      const isItsHome = sharedDaemon.homeFor(environmentOf(pid, sharedDaemon.variables)) === home
      if (!isItsHome || !sharedDaemon.isTerminal(argvOf(pid)) || this.#runsItsOwn(pid)) return []
      return [{ program, title, startedAt, argv: argvOf(pid) }]
    })
  }

  /** Whether hooks have come from this process itself. */
  #runsItsOwn(pid: number): boolean {
    return [...this.#herd.current()].some(
      (session) =>
        session.pid === pid &&
        session.verdict.state !== 'ended' &&
        session.evidence.heard.hook !== undefined &&
        !this.#served.has(session.key),
    )
  }

  #namesIn(home: string, sharedDaemon: SharedDaemon): Map<string, string> {
    const file = sharedDaemon.namesFile(home)
    try {
      const { mtimeMs, size } = statSync(file)
      const known = this.#names.get(file)
      if (known?.mtimeMs === mtimeMs) return known.names
      if (size > MAX_NAMES_BYTES) return new Map()
      const names = sharedDaemon.namesIn(readFileSync(file, 'utf8'))
      this.#names.set(file, { mtimeMs, names })
      return names
    } catch {
      return new Map()
    }
  }
}

function newServed(server: Place): Served {
  return { server, terminal: undefined, misses: 0, isLeft: false }
}

/** A human can be brought in front of it, by its id. */
function jobOf({ harness, session }: AgentEvent): { job?: string } {
  const isShown = adapterFor(harness)?.background !== undefined && JOB_NAME.test(session)
  return isShown ? { job: session } : {}
}

/** Not counting what its terminal showed. */
function hasFinished({ evidence, verdict }: Session): boolean {
  const told =
    verdict.state === 'stuck' && verdict.by === 'screen'
      ? verdictOf({ ...evidence, screen: undefined })
      : verdict
  return told.state !== 'working' && (told.state !== 'stuck' || told.reason !== 'permission')
}

function isRunning({ pid, pidStart }: Place): boolean {
  if (pid === undefined) return false
  return processState(pid, { start: pidStart, knownAt: Date.now() }) !== 'gone'
}

/** Its human has deleted or archived it. */
function isRemoved({ transcript }: Session): boolean {
  return transcript !== undefined && !existsSync(transcript)
}

function placeOf({ pane, pid, pidStart }: FoundProgram): Place {
  return { pane, pid, ...(pidStart !== undefined && { pidStart }) }
}

function isThere({ pid, pidStart, foundAt }: FoundProgram): boolean {
  return processState(pid, { start: pidStart, knownAt: foundAt }) !== 'gone'
}

function namesOfFiles(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}
