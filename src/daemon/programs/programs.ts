import { dirname } from 'node:path'
import type { PaneRef } from '../../core/pane.ts'
import { harnessIn } from '../../harness/running-harness.ts'
import { ancestry } from '../../process/ancestry.ts'
import { recentNameOf } from '../../process/command.ts'
import { startOf } from '../../process/process-state.ts'
import { foregroundOf } from '../../process/terminal.ts'
import { letOthersIn } from '../../service/loop.ts'
import type { PaneInventory } from '../panes/pane-inventory.ts'
import type { StatusFollower } from '../status/status-follower.ts'
import {
  commandIn,
  type FoundProgram,
  newFoundProgram,
  type ProcessMatch,
  programIn,
} from './found-program.ts'

/** A process group is checked closely for this long: a wrapper may become the program. */
const YOUNG_GROUP_MS = 3_000
const LOOK_MS = 900
const YOUNG_LOOKS = 10
const LOOKS_AT_OLD = 30
const AT_ONCE = 50

export type ProgramsParts = {
  inventory: PaneInventory
  statuses: Pick<StatusFollower, 'followIn' | 'adopt' | 'isPublished'>
  /** Names of programs that are watched wherever they run. */
  commands: readonly string[]
}

type Place = { pane: PaneRef; panePid: number; isWatched: boolean }
type Group = Place & {
  since: number
  looks: number
  met: ProcessMatch | undefined
  /** What that process called itself. */
  called: string | undefined
}

/**
 * The programs in the foreground of the panes, by their processes: every harness, and
 * whatever else the operator wants watched.
 */
export class Programs {
  readonly #inventory: PaneInventory
  readonly #statuses: ProgramsParts['statuses']
  readonly #commands: ReadonlySet<string>
  readonly #own = new Set(ancestry(process.pid))
  readonly #found = new Map<number, FoundProgram>()
  #groups = new Map<number, Group>()
  /** The program that each pane's own process was last seen to have in the foreground, by pids. */
  #inFront = new Map<number, number>()
  #lookedAt = 0

  constructor({ inventory, statuses, commands }: ProgramsParts) {
    this.#inventory = inventory
    this.#statuses = statuses
    this.#commands = new Set(commands)
  }

  found(): Iterable<FoundProgram> {
    return this.#found.values()
  }

  /** Whether the process publishes its own state. */
  isPublished({ statusFile }: FoundProgram): boolean {
    return statusFile !== undefined && this.#statuses.isPublished(statusFile)
  }

  /** Whether a program may start at any time, which `lookClosely` sees at the cost of a few reads. */
  get isExpecting(): boolean {
    const now = Date.now()
    for (const group of this.#groups.values()) if (isYoung(group, now)) return true
    return false
  }

  /** Between two full looks, checks only new groups. */
  lookClosely(): void {
    const now = Date.now()
    for (const [id, group] of this.#groups) {
      if (!isYoung(group, now)) continue
      this.#lookWho(id, group)
      if (group.met) this.#meet(group.pane, group.met)
    }
  }

  /** Checks which program every pane has in its foreground, at most once a second. */
  async look(): Promise<void> {
    if (Date.now() - this.#lookedAt < LOOK_MS) return
    this.#lookedAt = Date.now()
    const seen = new Set<number>()
    const groups = new Map<number, Group>()
    const inFront = new Map<number, number>()
    const panes = [...this.#inventory.panes()]
    for (const [index, { pane, pid: panePid, isWatched }] of panes.entries()) {
      if (index % AT_ONCE === AT_ONCE - 1) await letOthersIn()
      // The program's stat has the same group, and is read anyway.
      const program = this.#inFront.get(panePid)
      const id = (program && foregroundOf(program)) ?? foregroundOf(panePid)
      if (id === undefined) continue
      const group = this.#lookInto(id, { pane, panePid, isWatched })
      groups.set(id, group)
      if (group.met) inFront.set(panePid, group.met.pid)
      if (!group.met || seen.has(group.met.pid)) continue
      seen.add(group.met.pid)
      this.#meet(pane, group.met)
    }
    this.#groups = groups
    this.#inFront = inFront
    for (const pid of [...this.#found.keys()]) if (!seen.has(pid)) this.#found.delete(pid)
  }

  /** The members of a process group change while it is young, and rarely after that. */
  #lookInto(id: number, place: Place): Group {
    const known = this.#groups.get(id)
    if (known?.isWatched !== place.isWatched || known.panePid !== place.panePid) {
      const group = { ...place, since: Date.now(), looks: 1, met: undefined, called: undefined }
      return this.#lookWho(id, group)
    }
    known.pane = place.pane
    if (isSettled(known)) return known
    known.looks += 1
    const isDue = known.met || known.looks <= YOUNG_LOOKS || known.looks % LOOKS_AT_OLD === 0
    if (isDue) return this.#lookWho(id, known)
    known.met = undefined
    return known
  }

  #lookWho(id: number, group: Group): Group {
    group.met = this.#metIn(id, group)
    group.called = group.met && recentNameOf(group.met.pid)
    return group
  }

  /** A harness takes precedence. The process that runs us is never one. */
  #metIn(id: number, { isWatched, panePid }: Place): ProcessMatch | undefined {
    const harness = harnessIn(id)
    const met =
      (harness && { ...harness, name: harness.adapter.harness }) ??
      (this.#commands.size > 0 ? commandIn(id, this.#commands) : undefined) ??
      (isWatched ? programIn(id, panePid) : undefined)
    return met && !this.#own.has(met.pid) ? met : undefined
  }

  #meet(pane: PaneRef, met: ProcessMatch): void {
    const known = this.#found.get(met.pid)
    if (known && known.pidStart === startOf(met.pid) && isSame(known, met)) {
      known.pane = pane
      return
    }
    const program = newFoundProgram(pane, met)
    const { adapter, statusFile, innerPid } = program
    if (statusFile && adapter?.status) {
      this.#statuses.followIn(dirname(statusFile), adapter.status)
      if (innerPid !== undefined) this.#statuses.adopt(statusFile, adapter.status, met.pid)
    }
    this.#found.set(met.pid, program)
  }
}

/** A program that is no harness may become one, under the same pid. */
function isYoung({ met, since }: Group, now: number): boolean {
  return !met?.adapter && now - since < YOUNG_GROUP_MS
}

/** It is old, still there, and has not become another program. */
function isSettled(group: Group): boolean {
  const { met, called } = group
  if (!met || isYoung(group, Date.now()) || foregroundOf(met.pid) === undefined) return false
  return recentNameOf(met.pid) === called
}

function isSame(one: ProcessMatch, other: ProcessMatch): boolean {
  return one.adapter === other.adapter && one.name === other.name
}
