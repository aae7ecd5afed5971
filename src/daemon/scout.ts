import { join } from 'node:path'
import { type AgentEvent, type PaneRef, sessionKey } from '../core/event.ts'
import { openBlocks } from '../core/evidence.ts'
import { screenOf } from '../core/monitor/screen.ts'
import type { Session } from '../core/session.ts'
import { asksSeveralThings } from '../core/verdict.ts'
import { ADAPTERS } from '../harness/registry.ts'
import type { ScreenReader } from '../harness/screen-reader.ts'
import { readingOf, type ScreenReading } from '../harness/screen-reading.ts'
import { capturePane } from '../tmux/panes.ts'
import { type FoundProgram, isWatched, newFoundProgram, stirs } from './found-program.ts'
import type { Herd } from './herd.ts'
import type { Ingest } from './ingest.ts'
import type { PaneInventory } from './pane-inventory.ts'
import {
  argvOf,
  directoryOf,
  foregroundOf,
  groupOf,
  nameOf,
  processState,
  startOf,
} from './processes.ts'
import type { StatusFollower } from './status-follower.ts'
import { statusDirectoryOf } from './whereabouts.ts'

/** A program that starts may ask something before it has a session. */
const STARTUP_MS = 60_000
/** How often a screen that nobody else speaks for is looked at until then, and after that. */
const STARTUP_LOOK_MS = 900
const QUIET_LOOK_MS = 5_000
/** Who is in a process group is looked at closely for so long: a wrapper may become the program. */
const YOUNG_GROUP_MS = 3_000
/** A wait is told of by hook and transcript within this time, or by nobody. */
const ASK_DELAY_MS = 600
const LOOK_MS = 900
const YOUNG_LOOKS = 10
const LOOKS_AT_OLD = 30
const MOST_LOOKS_FOR_ASK = 5

export type ScoutParts = {
  herd: Herd
  inventory: PaneInventory
  ingest: Ingest
  statuses: StatusFollower
  screens: ScreenReader
}

type Met = Pick<FoundProgram, 'pid' | 'adapter'>
type Group = { pane: PaneRef; since: number; looks: number; met: Met | undefined }

/**
 * Finds harnesses by the process in the foreground of a pane, whatever they tell of themselves, and
 * looks at a screen where nothing else says how it stands or what it asks.
 */
export class Scout {
  readonly #parts: ScoutParts
  readonly #found = new Map<number, FoundProgram>()
  #groups = new Map<number, Group>()
  /** The program that a pane's own process was last seen to have in the foreground, by pids. */
  #programs = new Map<number, number>()
  #lookedAt = 0
  #looking: Promise<void> | undefined
  /** How often a session's screen was looked at for the ask of the wait that began then. */
  readonly #asked = new Map<string, { since: number; looks: number }>()

  constructor(parts: ScoutParts) {
    this.#parts = parts
  }

  /** Whether something may come up at any moment: `lookClosely` tells, at the price of a few reads. */
  get isWatching(): boolean {
    const now = Date.now()
    for (const group of this.#groups.values()) if (isYoung(group, now)) return true
    for (const found of this.#found.values()) {
      if (isWatched(found, now) && !this.#isHeard(found)) return true
    }
    return false
  }

  /** Between two looks at everything: at what is new, and at what shows a dialog. */
  lookClosely(): Promise<void> {
    const now = Date.now()
    for (const [id, group] of this.#groups) {
      if (!isYoung(group, now)) continue
      group.met = harnessIn(id)
      if (group.met) this.#meet(group.pane, group.met)
    }
    return this.lookAtScreens()
  }

  /** Looks which program every pane has in its foreground, once a second at most. */
  look(): void {
    if (Date.now() - this.#lookedAt < LOOK_MS) return
    this.#lookedAt = Date.now()
    const seen = new Set<number>()
    const groups = new Map<number, Group>()
    const programs = new Map<number, number>()
    for (const { pane, pid: panePid } of this.#parts.inventory.panes()) {
      // Its stat says the same, and is looked at anyway.
      const program = this.#programs.get(panePid)
      const id = (program && foregroundOf(program)) ?? foregroundOf(panePid)
      if (id === undefined) continue
      const group = this.#lookInto(id, pane)
      groups.set(id, group)
      if (group.met) programs.set(panePid, group.met.pid)
      if (!group.met || seen.has(group.met.pid)) continue
      seen.add(group.met.pid)
      this.#meet(pane, group.met)
    }
    this.#groups = groups
    this.#programs = programs
    for (const pid of [...this.#found.keys()]) if (!seen.has(pid)) this.#found.delete(pid)
  }

  /** Who is in a process group changes while it is young, and seldom after that. */
  #lookInto(id: number, pane: PaneRef): Group {
    const known = this.#groups.get(id) ?? { pane, since: Date.now(), looks: 0, met: undefined }
    known.pane = pane
    if (known.met && foregroundOf(known.met.pid) !== undefined) return known
    known.looks += 1
    const isDue = known.met || known.looks <= YOUNG_LOOKS || known.looks % LOOKS_AT_OLD === 0
    known.met = isDue ? harnessIn(id) : undefined
    return known
  }

  /** Looks that overlap are one. */
  lookAtScreens(): Promise<void> {
    this.#looking ??= this.#lookAtDue().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #lookAtDue(): Promise<void> {
    const due = [...this.#found.values()].filter((found) => this.#isDue(found))
    const waiting: Session[] = []
    for (const session of this.#parts.herd.current()) {
      if (this.#lacksAsk(session)) waiting.push(session)
    }
    for (const found of due) await this.#lookAtProgram(found)
    for (const session of waiting) await this.#lookForAsk(session)
  }

  #meet(pane: PaneRef, { pid, adapter }: Met): void {
    const pidStart = startOf(pid)
    const known = this.#found.get(pid)
    if (known && known.pidStart === pidStart) {
      known.pane = pane
      return
    }
    const directory = adapter.status && statusDirectoryOf(pid, adapter.status)
    if (directory && adapter.status) this.#parts.statuses.followIn(directory, adapter.status)
    const statusFile = directory && adapter.status && join(directory, adapter.status.fileFor(pid))
    this.#found.set(pid, newFoundProgram({ pane, pid, pidStart, adapter, statusFile }))
  }

  #isDue(found: FoundProgram): boolean {
    if (this.#isHeard(found)) {
      this.#endStandIn(found)
      return false
    }
    const now = Date.now()
    const unseenMs = now - found.lookedAt
    if (unseenMs >= QUIET_LOOK_MS) return true
    if (isWatched(found, now)) return stirs(found) ?? unseenMs >= STARTUP_LOOK_MS
    return now - found.foundAt < STARTUP_MS && unseenMs >= STARTUP_LOOK_MS
  }

  #isHeard({ statusFile }: FoundProgram): boolean {
    return statusFile !== undefined && this.#parts.statuses.isHeard(statusFile)
  }

  /** A program without a session of its own is one under its pid, for as long as that is so. */
  async #lookAtProgram(found: FoundProgram): Promise<void> {
    found.lookedAt = Date.now()
    const screen = await capturePane(found.pane.socket, found.pane.id)
    if (screen === undefined) return
    const reading = this.#read(found.adapter.harness, screen)
    const shown = reading ? `${reading.claim} ${reading.detail}` : ''
    const isSame = shown === found.shown
    found.shown = shown
    // Between two of its own frames a program may look idle: that counts when it stays.
    if (reading?.claim === 'stuck' && reading.reason === 'stopped' && !isSame) return
    const told = reading ? JSON.stringify(reading) : ''
    if (told === found.told) return
    found.told = told
    found.isAsking = reading?.claim === 'stuck' && reading.reason === 'permission'
    this.#tell(found, reading)
  }

  #tell(found: FoundProgram, reading: ScreenReading | undefined): void {
    const { pane, pid, pidStart, adapter, foundAt } = found
    // What it drew last stays on the screen after it.
    if (processState(pid, { start: pidStart, knownAt: foundAt }) === 'gone') return
    const own = [...this.#parts.herd.current()].find(
      (session) => session.pid === pid && session.verdict.state !== 'ended',
    )
    const cwd = directoryOf(pid)
    const event: AgentEvent = {
      v: 1,
      harness: adapter.harness,
      session: own?.id ?? standInId(pid),
      source: 'screen',
      at: Date.now(),
      pane,
      pid,
      ...(pidStart !== undefined && { pidStart }),
      ...(cwd !== undefined && { cwd }),
      ...claimOf(reading),
    }
    this.#parts.ingest.own(event, 'tailed')
  }

  #endStandIn({ adapter, pid }: FoundProgram): void {
    const standIn = this.#parts.herd.session(sessionKey(adapter.harness, standInId(pid)))
    if (!standIn || standIn.verdict.state === 'ended') return
    const about = { v: 1, harness: adapter.harness, session: standIn.id } as const
    const detail = 'it has a session of its own by now'
    this.#parts.ingest.own(
      { ...about, kind: 'ended', source: 'screen', at: Date.now(), detail },
      'tailed',
    )
  }

  #lacksAsk({ key, verdict, evidence, pane }: Session): boolean {
    if (verdict.state !== 'stuck' || verdict.by !== 'status' || !pane) {
      this.#asked.delete(key)
      return false
    }
    const { status, screen, pending } = evidence
    if (verdict.reason !== 'permission' || !status) return false
    const isOld = this.#parts.herd.clock.now() - status.at >= ASK_DELAY_MS
    if (asksSeveralThings(evidence)) return isOld
    if (openBlocks(evidence).length > 0) return false
    if (screen && screen.at >= status.at) return false
    if (status.ask === undefined && pending?.asks.length) return false
    const tried = this.#asked.get(key)
    if (tried?.since === status.at && tried.looks >= MOST_LOOKS_FOR_ASK) return false
    return isOld
  }

  async #lookForAsk({ key, id, harness, pane, evidence }: Session): Promise<void> {
    const since = evidence.status?.at ?? 0
    const before = this.#asked.get(key)
    const looks = before?.since === since ? before.looks + 1 : 1
    this.#asked.set(key, { since, looks })
    const screen = pane && (await capturePane(pane.socket, pane.id))
    const reading = screen === undefined ? undefined : this.#read(harness, screen)
    if (reading?.claim !== 'stuck' || reading.reason !== 'permission') return
    // It may have been answered while tmux was asked.
    const now = this.#parts.herd.session(key)?.evidence
    if (now?.status?.at !== since) return
    if (now.screen && now.screen.at >= since && now.screen.ask?.text === reading.ask?.text) return
    const about = { v: 1, harness, session: id, source: 'screen', at: Date.now() } as const
    this.#parts.ingest.own({ ...about, ...claimOf(reading) }, 'tailed')
  }

  #read(harness: string, screen: string): ScreenReading | undefined {
    return readingOf(this.#parts.screens.read(harness, screenOf(screen)))
  }
}

/** The harness among the processes in the foreground: perhaps under the shell that ran it. */
function harnessIn(group: number): Met | undefined {
  for (const pid of groupOf(group)) {
    const name = nameOf(pid)
    if (name === undefined) continue
    const process = { name, argv: argvOf(pid) }
    const adapter = ADAPTERS.find((one) => one.isProcess?.(process))
    if (adapter) return { pid, adapter }
  }
  return undefined
}

function isYoung({ met, since }: Group, now: number): boolean {
  return !met && now - since < YOUNG_GROUP_MS
}

function standInId(pid: number): string {
  return `pid-${pid}`
}

function claimOf(reading: ScreenReading | undefined): Pick<AgentEvent, 'kind' | 'detail'> {
  if (!reading) return { kind: 'seen', detail: 'the screen says nothing' }
  const { claim, ...rest } = reading
  return { kind: claim === 'stuck' ? 'stuck' : 'unstuck', ...rest }
}
