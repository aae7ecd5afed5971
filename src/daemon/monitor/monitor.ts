import { setTimeout as delay } from 'node:timers/promises'
import type { MonitoredPane, MonitorView } from '../../contract/responses.ts'
import type { MonitorPace } from '../../core/monitor/interval.ts'
import { monitorStep, wantsFacts } from '../../core/monitor/monitor.ts'
import { notYetVisible, visibleAt, withReport } from '../../core/monitor/pending-reports.ts'
import { isSamePane, type Pane } from '../../core/pane.ts'
import type { Session } from '../../core/session/session.ts'
import { GENERIC } from '../../harness/screen/generic-screen.ts'
import type { ScreenReader } from '../../harness/screen-reader.ts'
import { signalRulesFor } from '../../harness/signal-rules.ts'
import { groupIdOf } from '../../process/group.ts'
import { processState } from '../../process/process-state.ts'
import { foregroundOf } from '../../process/terminal.ts'
import type { PanesNews } from '../../tmux/control/panes-subscription.ts'
import type { CaptureRequest } from '../../tmux/server-link/capture-schedule.ts'
import type { PaneScreen } from '../../tmux/server-link/screens.ts'
import type { ServerLinks } from '../../tmux/server-link/server-links.ts'
import type { PaneInventory } from '../panes/pane-inventory.ts'
import type { FoundProgram } from '../programs/found-program.ts'
import type { Programs } from '../programs/programs.ts'
import type { MissingAsks } from '../sessions/missing-asks.ts'
import type { ProgramSessions } from '../sessions/program-session.ts'
import {
  attend,
  isClose,
  latestLookAt,
  lookSoon,
  type Monitored,
  monitoredView,
  newMonitored,
  noticeActivity,
  occur,
  printed,
  reportsVisibleAt,
} from './monitored.ts'
import { triageOf } from './triage.ts'

const UNTIL_NOT_FOUND_MS = 60_000
const FIRST_LOOK_MS = 300

export type MonitorParts = {
  programs: Programs
  sessions: ProgramSessions
  asks: MissingAsks
  inventory: PaneInventory
  links: ServerLinks
  screens: ScreenReader
  pace: MonitorPace
}

/**
 * Looks at the screens of programs when they are due, in one pass for all of a server, and reports what they
 * show. It also looks at a harness that publishes its own state, and at an unknown program that reports
 * itself, but reports nothing about them.
 */
export class Monitor implements Disposable {
  readonly #parts: MonitorParts
  readonly #monitored = new Map<number, Monitored>()
  #round = 0
  #isClosed = false

  constructor(parts: MonitorParts) {
    this.#parts = parts
  }

  /** Updates the list of programs, and looks at those that are due or whose ask is missing. */
  async look(): Promise<void> {
    this.#takeOver()
    this.#parts.sessions.endUnwatched(this.#all().map(({ program }) => program))
    await Promise.all([this.#lookForAsks(this.#parts.asks.due()), this.#captureDue()])
  }

  /** The first look, before the daemon answers. It does not wait for a slow tmux. */
  async lookFirst(): Promise<void> {
    await Promise.race([this.look(), delay(FIRST_LOOK_MS, undefined, { ref: false })])
  }

  /** Whether a program whose only source is its screen may change at any time. */
  get isExpecting(): boolean {
    return this.#all().some(isClose)
  }

  /** Between two looks: looks at the programs that have written something. */
  async lookClosely(): Promise<void> {
    this.#takeOver()
    for (const one of this.#all()) {
      if (isClose(one) && noticeActivity(one)) this.#occur(one, { kind: 'output' })
    }
    await this.#captureDue()
  }

  /** What to capture from this server, and how soon. */
  requests(socket: string, now: number): CaptureRequest[] {
    if (this.#isClosed) return []
    const all = this.#all().filter(({ program }) => program.pane.socket === socket)
    for (const one of all) {
      if (!one.pendingReports || visibleAt(one.pendingReports) > now) continue
      one.pendingReports = notYetVisible(one.pendingReports, now)
      this.#occur(one, { kind: 'hook' })
    }
    return all.map((one) => ({
      pane: one.program.pane.id,
      from: one.watched.nextLookAt,
      until: Math.min(latestLookAt(one), reportsVisibleAt(one)),
      isUrgent: isClose(one),
      take: (seen, askedAt) => this.#take(one, seen, askedAt),
    }))
  }

  /** The harness reported something, so read the screen when it should show that. */
  reported({ pid, pane, evidence: { heard } }: Session): void {
    const reportedAt = Math.max(heard?.hook ?? 0, heard?.transcript ?? 0, heard?.api ?? 0)
    for (const one of this.#all()) {
      const { program } = one
      const isIt = program.pid === pid || isSamePane(program.pane, pane)
      if (!isIt || reportedAt <= one.reportedAt) continue
      one.reportedAt = reportedAt
      one.pendingReports = withReport(one.pendingReports, Date.now())
      this.#reschedule(program.pane.socket)
    }
  }

  news(socket: string, news: PanesNews): void {
    for (const one of this.#all()) {
      const { pane } = one.program
      const changed = pane.socket === socket ? news?.panes.get(pane.id) : undefined
      if (!changed || changed.pid !== pane.pid) continue
      if (one.title !== undefined && changed.title !== one.title) {
        this.#occur(one, { kind: 'title', title: changed.title })
      }
      if (changed.printedAt !== one.printedAt) printed(one, this.#parts.pace)
      one.title = changed.title
      one.printedAt = changed.printedAt
    }
    this.#reschedule(socket)
  }

  /** A program that is read by its screen alone is looked at sooner than after a prompt anyway. */
  prompted(pane: Pane): void {
    for (const one of this.#all()) {
      if (!isSamePane(one.program.pane, pane) || one.watched.attention === 'fresh') continue
      occur(one, { kind: 'dispatched' }, this.#parts.pace)
    }
    this.#reschedule(pane.socket)
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
  }

  #all(): Monitored[] {
    return [...this.#monitored.values()]
  }

  #takeOver(): void {
    this.#round += 1
    const { programs, sessions, pace } = this.#parts
    const found = new Set([...programs.found()].filter(({ view }) => !view))
    for (const one of this.#all()) {
      if (found.has(one.program)) continue
      one.isLeaving = true
      one.watched = { ...one.watched, nextLookAt: 0 }
    }
    for (const program of found) {
      const hasBetterSource = this.#hasBetterSource(program)
      const one = this.#monitoredFor(program, hasBetterSource)
      attend(one, hasBetterSource ? 'steady' : 'fresh')
      if (hasBetterSource) sessions.endStandIn(program, 'it has a session of its own by now')
      else if (program.adapter) sessions.endNeedlessStandIn(program)
      if (this.#isActivityDue(one) && noticeActivity(one)) lookSoon(one, pace)
    }
  }

  #monitoredFor(program: FoundProgram, hasBetterSource: boolean): Monitored {
    const known = this.#monitored.get(program.pid)
    if (known?.program === program) return known
    if (known) this.#parts.sessions.endStandIn(known.program, 'it has become another program')
    const one = newMonitored(program, hasBetterSource ? 'steady' : 'fresh')
    this.#monitored.set(program.pid, one)
    return one
  }

  #occur(one: Monitored, occasion: Parameters<typeof occur>[1]): void {
    if (one.watched.attention === 'fresh') occur(one, occasion, this.#parts.pace)
  }

  async #captureDue(): Promise<void> {
    const sockets = new Set(this.#all().map(({ program }) => program.pane.socket))
    await Promise.all([...sockets].map((socket) => this.#parts.links.at(socket).captureDue()))
  }

  async #lookForAsks(asking: readonly Session[]): Promise<void> {
    const servers = Map.groupBy(asking, ({ pane }) => pane?.socket ?? '')
    await Promise.all(
      [...servers].map(async ([socket, sessions]) => {
        const ids = sessions.flatMap(({ pane }) => pane?.id ?? [])
        const captured = await this.#parts.links.at(socket).capture(ids)
        if (this.#isClosed) return
        for (const session of sessions) {
          const seen =
            captured === 'could-not-observe' ? undefined : captured.get(session.pane?.id ?? '')
          this.#parts.asks.take(session, seen?.screen)
        }
      }),
    )
  }

  #take(one: Monitored, captured: PaneScreen | undefined, askedAt: number): void {
    const { program } = one
    if (this.#isClosed || this.#monitored.get(program.pid) !== one) return
    // A server restart reuses ids.
    const seen = captured?.pid === program.pane.pid ? captured : undefined
    const known = { start: program.pidStart, knownAt: program.foundAt }
    const state = processState(program.pid, known)
    const isGone = state === 'gone'
    if (one.isLeaving) this.#monitored.delete(program.pid)
    if (one.isLeaving && state === 'suspended') return
    if (one.isLeaving && !isGone) this.#leave(program)
    else this.#step(one, seen, { isGone, askedAt })
    // There is nothing more to see until the program disappears from the panes.
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
    if (!report || this.#hasBetterSource(program)) return
    // What the harness reported during the capture may be newer than the screen.
    sessions.tell(program, report, report.source === 'screen' ? askedAt : now)
  }

  /** Whether a source that knows more than its screen reports on it. */
  #hasBetterSource(program: FoundProgram): boolean {
    const { programs, sessions } = this.#parts
    return programs.isPublished(program) || sessions.isReported(program)
  }

  /** It still runs, but its pane shows something else, or it is no longer watched. */
  #leave(program: FoundProgram): void {
    const { sessions } = this.#parts
    const group = groupIdOf(program.pid)
    const isInFront = group !== undefined && foregroundOf(program.pid) === group
    sessions.endStandIn(
      program,
      isInFront ? 'it is not watched any more' : 'it is not in the foreground any more',
    )
  }

  /** For a tmux that does not report who prints. It costs a read, so each pass checks half of those that are not urgent. */
  #isActivityDue(one: Monitored): boolean {
    if (this.#parts.links.at(one.program.pane.socket).bringsNews) return false
    return isClose(one) || (one.program.pid + this.#round) % 2 === 0
  }

  #reschedule(socket: string): void {
    if (!this.#isClosed) this.#parts.links.at(socket).reschedule()
  }
}
