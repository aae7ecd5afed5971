import { setTimeout as delay } from 'node:timers/promises'
import type { MonitoredPane, MonitorView } from '../../contract/responses.ts'
import type { MonitorPace } from '../../core/monitor/interval.ts'
import { monitorStep, wantsFacts } from '../../core/monitor/monitor.ts'
import { settledAt, toldMore, unsettled } from '../../core/monitor/settling.ts'
import { isSamePane } from '../../core/pane.ts'
import type { Session } from '../../core/session/session.ts'
import { GENERIC } from '../../harness/screen/generic-screen.ts'
import type { ScreenReader } from '../../harness/screen-reader.ts'
import { signalRulesFor } from '../../harness/signal-rules.ts'
import { groupIdOf } from '../../process/group.ts'
import { processState } from '../../process/process-state.ts'
import { foregroundOf } from '../../process/terminal.ts'
import type { PanesNews } from '../../tmux/control/panes-subscription.ts'
import type { PaneScreen } from '../../tmux/control/screens.ts'
import type { ControlClients } from '../panes/control-clients.ts'
import type { PaneInventory } from '../panes/pane-inventory.ts'
import type { FoundProgram } from '../programs/found-program.ts'
import type { Programs } from '../programs/programs.ts'
import type { MissingAsks } from '../sessions/missing-asks.ts'
import type { ProgramSessions } from '../sessions/program-session.ts'
import {
  attend,
  isClose,
  lookSoon,
  type Monitored,
  monitoredView,
  newMonitored,
  noticeActivity,
  occur,
  printed,
} from './monitored.ts'
import { type PassReason, PassSchedule } from './pass-schedule.ts'
import { triageOf } from './triage.ts'

const UNTIL_NOT_FOUND_MS = 60_000
const FIRST_LOOK_MS = 300

export type MonitorParts = {
  programs: Programs
  sessions: ProgramSessions
  asks: MissingAsks
  inventory: PaneInventory
  controls: Pick<ControlClients, 'screens' | 'isConnected' | 'beforeProcess'>
  screens: ScreenReader
  pace: MonitorPace
  failed(error: unknown): void
}

type Screens = ReadonlyMap<string, PaneScreen | undefined>

/**
 * Looks at the screens of programs when they are due, in one pass for all of a server, and tells what
 * follows. Where a harness publishes its own state, or a program that we do not know tells of itself, it
 * is looked at and nothing is told.
 */
export class Monitor implements Disposable {
  readonly #parts: MonitorParts
  readonly #monitored = new Map<number, Monitored>()
  readonly #schedule: PassSchedule
  #passing: Promise<void> = Promise.resolve()
  #round = 0
  #isClosed = false

  constructor(parts: MonitorParts) {
    this.#parts = parts
    const { controls } = parts
    this.#schedule = new PassSchedule(
      (socket) => controls.isConnected(socket),
      () => void this.#pass(),
    )
    controls.beforeProcess((startingAt) => void this.#pass([], { startingAt }))
  }

  /** Takes over which programs there are, and looks at those that are due or whose ask is missing. */
  look(): Promise<void> {
    this.#takeOver()
    this.#parts.sessions.endUnwatched(this.#all().map(({ program }) => program))
    return this.#pass(this.#parts.asks.due())
  }

  /** The same before anything is answered. A tmux that takes its time is not waited for. */
  async lookFirst(): Promise<void> {
    await Promise.race([this.look(), delay(FIRST_LOOK_MS, undefined, { ref: false })])
  }

  /** Whether something that only its screen speaks for may change at any moment. */
  get isExpecting(): boolean {
    return this.#all().some(isClose)
  }

  /** Between two looks: at those that have written something. */
  lookClosely(): Promise<void> {
    this.#takeOver()
    for (const one of this.#all()) {
      if (isClose(one) && noticeActivity(one)) this.#occur(one, { kind: 'output' })
    }
    return this.#pass()
  }

  /** The harness has told something: the screen is looked at when it shows that. */
  heard({ pid, pane, evidence: { heard } }: Session): void {
    const toldAt = Math.max(heard?.hook ?? 0, heard?.transcript ?? 0, heard?.api ?? 0)
    for (const one of this.#all()) {
      const { program } = one
      const isIt = program.pid === pid || isSamePane(program.pane, pane)
      if (!isIt || toldAt <= one.toldAt) continue
      one.toldAt = toldAt
      one.settling = toldMore(one.settling, Date.now())
      this.#arm()
    }
  }

  news(socket: string, news: PanesNews): void {
    for (const one of this.#all()) {
      const { pane } = one.program
      const told = pane.socket === socket ? news?.panes.get(pane.id) : undefined
      if (!told || told.pid !== pane.pid) continue
      if (one.title !== undefined && told.title !== one.title) {
        this.#occur(one, { kind: 'title', title: told.title })
      }
      if (told.printedAt !== one.printedAt) printed(one, this.#parts.pace)
      one.title = told.title
      one.printedAt = told.printedAt
    }
    this.#arm()
  }

  view(): MonitorView {
    const { sessions } = this.#parts
    return { panes: this.#all().map((one) => monitoredView(one, sessions.of(one.program))) }
  }

  viewOf(session: Session): MonitoredPane | undefined {
    const { sessions } = this.#parts
    const one = this.#all().find(({ program }) => sessions.of(program)?.key === session.key)
    return one && monitoredView(one, session)
  }

  viewIn(paneId: string): MonitoredPane | undefined {
    const one = this.#all().find(({ program }) => program.pane.id === paneId)
    return one && monitoredView(one, this.#parts.sessions.of(one.program))
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#schedule[Symbol.dispose]()
  }

  #all(): Monitored[] {
    return [...this.#monitored.values()]
  }

  #takeOver(): void {
    this.#round += 1
    const { programs, sessions, pace } = this.#parts
    const found = new Set(programs.found())
    for (const one of this.#all()) {
      if (found.has(one.program)) continue
      one.isLeaving = true
      one.watched = { ...one.watched, nextLookAt: 0 }
    }
    for (const program of found) {
      const isHeard = this.#isHeard(program)
      const one = this.#monitoredFor(program, isHeard)
      attend(one, isHeard ? 'steady' : 'fresh')
      if (isHeard) sessions.endStandIn(program, 'it has a session of its own by now')
      else if (program.adapter) sessions.endNeedlessStandIn(program)
      if (this.#isActivityDue(one) && noticeActivity(one)) lookSoon(one, pace)
    }
  }

  #monitoredFor(program: FoundProgram, isHeard: boolean): Monitored {
    const known = this.#monitored.get(program.pid)
    if (known?.program === program) return known
    if (known) this.#parts.sessions.endStandIn(known.program, 'it has become another program')
    const one = newMonitored(program, isHeard ? 'steady' : 'fresh')
    this.#monitored.set(program.pid, one)
    return one
  }

  #occur(one: Monitored, occasion: Parameters<typeof occur>[1]): void {
    if (one.watched.attention === 'fresh') occur(one, occasion, this.#parts.pace)
  }

  /** One after the other: two looks at once would count twice. */
  #pass(asking: readonly Session[] = [], reason: PassReason = {}): Promise<void> {
    this.#passing = this.#passing
      .then(() => this.#lookAtDue(asking, reason))
      .catch((error: unknown) => this.#parts.failed(error))
      .finally(() => this.#arm())
    return this.#passing
  }

  async #lookAtDue(asking: readonly Session[], reason: PassReason): Promise<void> {
    const now = Date.now()
    for (const one of this.#all()) {
      if (!one.settling || settledAt(one.settling) > now) continue
      one.settling = unsettled(one.settling, now)
      this.#occur(one, { kind: 'hook' })
    }
    const all = this.#monitored.values()
    const due = this.#schedule.due(all, now, { ...reason, isAsked: asking.length > 0 })
    const panes = [
      ...due.map(({ program }) => program.pane),
      ...asking.flatMap((s) => s.pane ?? []),
    ]
    const sockets = [...new Set(panes.map(({ socket }) => socket))]
    const seen = new Map<string, Screens>()
    await Promise.all(
      sockets.map(async (socket) => {
        const ids = panes.filter((pane) => pane.socket === socket).map(({ id }) => id)
        // Could not look is not a sight of nothing.
        seen.set(socket, await this.#parts.controls.screens(socket, ids).catch(() => new Map()))
      }),
    )
    if (this.#isClosed) return
    for (const one of due) this.#take(one, seen.get(one.program.pane.socket), now)
    for (const session of asking) {
      const screen = session.pane && seen.get(session.pane.socket)?.get(session.pane.id)
      this.#parts.asks.take(session, screen?.screen)
    }
  }

  #take(one: Monitored, screens: Screens | undefined, askedAt: number): void {
    const { program } = one
    if (this.#monitored.get(program.pid) !== one) return
    const captured = screens?.get(program.pane.id)
    // Ids come back after a server restart.
    const seen = captured?.pid === program.pane.pid ? captured : undefined
    const known = { start: program.pidStart, knownAt: program.foundAt }
    const state = processState(program.pid, known)
    const isGone = state === 'gone'
    if (one.isLeaving) this.#monitored.delete(program.pid)
    if (one.isLeaving && state === 'suspended') return
    if (one.isLeaving && !isGone) this.#leave(program)
    else this.#step(one, seen, { isGone, askedAt })
    // Until it is no longer found, there is nothing more to see.
    if (isGone) one.watched = { ...one.watched, nextLookAt: Date.now() + UNTIL_NOT_FOUND_MS }
  }

  #step(
    one: Monitored,
    seen: PaneScreen | undefined,
    { isGone, askedAt }: { isGone: boolean; askedAt: number },
  ): void {
    const { program, watched } = one
    const { inventory, sessions, screens, pace } = this.#parts
    const now = Date.now()
    const harness = program.adapter?.harness
    const triage =
      isGone || wantsFacts(watched)
        ? triageOf(program, { before: one.cpu, sighting: inventory.sighting(program.pane), now })
        : undefined
    const { watched: after, report } = monitorStep({
      watched,
      look: seen && { screen: seen.screen, sight: screens.read(harness ?? GENERIC, seen.screen) },
      facts: triage && { ...triage.facts, hasPrinted: one.hasPrinted },
      now,
      signalRules: signalRulesFor(harness),
      random: Math.random(),
      pace,
    })
    one.watched = after
    if (after.dueAt !== watched.dueAt || !one.cpu) {
      one.cpu = triage?.times
      one.hasPrinted = false
    }
    if (!report || this.#isHeard(program)) return
    // What the harness told while tmux captured may be newer than the screen.
    sessions.tell(program, report, report.source === 'screen' ? askedAt : now)
  }

  /** Whether somebody who knows better speaks for it. */
  #isHeard(program: FoundProgram): boolean {
    const { programs, sessions } = this.#parts
    return programs.isHeard(program) || sessions.isToldOf(program)
  }

  /** It runs, and its pane shows something else, or it is not to be watched any more. */
  #leave(program: FoundProgram): void {
    const { sessions } = this.#parts
    const group = groupIdOf(program.pid)
    const isInFront = group !== undefined && foregroundOf(program.pid) === group
    sessions.endStandIn(
      program,
      isInFront ? 'it is not watched any more' : 'it is not in the foreground any more',
    )
  }

  /** Where tmux does not tell who prints; half of those that have time each time, as it costs a read. */
  #isActivityDue(one: Monitored): boolean {
    if (!this.#schedule.isDear(one)) return false
    return isClose(one) || (one.program.pid + this.#round) % 2 === 0
  }

  #arm(): void {
    this.#schedule.arm(this.#monitored.values())
  }
}
