import type { MonitorReport } from '../../core/monitor/report.ts'
import { isSamePane } from '../../core/pane.ts'
import { type AgentEvent, type SessionKey, sessionKey } from '../../core/session/event.ts'
import type { Session } from '../../core/session/session.ts'
import { directoryOf } from '../../process/environment.ts'
import { processState } from '../../process/process-state.ts'
import type { Herd } from '../herd/herd.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { PaneInventory } from '../panes/pane-inventory.ts'
import type { FoundProgram } from '../programs/found-program.ts'

/** The harness of a session whose program we do not know. */
const PROGRAM = 'program'

/**
 * The sessions of programs, for the monitor's reports: the one that the harness itself reported, else a
 * stand-in under the program's pid.
 */
export type ProgramSessions = {
  /** Whether it is not a known harness, but somebody reports a session in its pane. */
  isReported(program: FoundProgram): boolean
  of(program: FoundProgram): Session | undefined
  tell(program: FoundProgram, report: MonitorReport, at: number): void
  /** Ends the stand-in, if there is one. */
  endStandIn(program: FoundProgram, detail: string): void
  /** The same if the harness itself has reported a session of the program. */
  endNeedlessStandIn(program: FoundProgram): void
  /** The same for stand-ins from an earlier run whose pane exists and shows none of these programs. */
  endUnwatched(programs: readonly FoundProgram[]): void
}

/** `goesOn`: whether a session whose process is gone runs somewhere else, and was moved there. */
export function createProgramSessions(
  herd: Herd,
  ingest: Ingest,
  inventory: PaneInventory,
  goesOn: (session: Session) => boolean = () => false,
): ProgramSessions {
  const ownOf = ({ adapter, pid, pane }: FoundProgram): Session | undefined => {
    let here: Session | undefined
    for (const session of herd.current()) {
      const { harness, id, verdict } = session
      if (adapter ? harness !== adapter.harness : harness === PROGRAM) continue
      if (verdict.state === 'ended' || id === standInId(pid)) continue
      if (session.pid === pid) return session
      if (isSamePane(session.pane, pane) && !session.headless) here ??= session
    }
    return here
  }
  /** The session that the harness itself reported, by the program's pid. */
  const reported = new Map<number, SessionKey>()
  /** Whether another process has its session by now, so that its screen is out of date. */
  const isLeft = ({ pid }: FoundProgram): boolean => {
    const key = reported.get(pid)
    const session = key && herd.session(key)
    return session?.pid !== undefined && session.pid !== pid && session.verdict.state !== 'ended'
  }
  const standInOf = (program: FoundProgram) => {
    const { harness, session } = standInNames(program)
    return herd.session(sessionKey(harness, session))
  }

  const endStandIn = (program: FoundProgram, detail: string) => {
    reported.delete(program.pid)
    const standIn = standInOf(program)
    if (!standIn || standIn.verdict.state === 'ended') return
    const about = { v: 1, ...standInNames(program), at: Date.now() } as const
    ingest.own({ ...about, kind: 'ended', source: 'screen', detail }, 'tailed')
  }

  return {
    isReported: (program) => !program.adapter && ownOf(program) !== undefined,
    of: (program) => ownOf(program) ?? standInOf(program),

    tell(program, report, at) {
      const { pane, pid, pidStart } = program
      const shown = ownOf(program)
      // Its pane may show the next one already.
      const own = report.kind === 'ended' && shown && isRunByAnother(shown, pid) ? undefined : shown
      if (own?.pid === pid) reported.set(pid, own.key)
      if (report.kind === 'ended' && own?.pid === pid && goesOn(own)) return
      const isOfItsOwn = report.kind === 'unstuck' || report.reason === 'permission'
      if (!own && !isOfItsOwn && isLeft(program)) return
      // The end of a session that nobody knew is no news.
      if (report.kind === 'ended' && !own && !standInOf(program)) return
      const cwd = directoryOf(pid)
      const event: AgentEvent = {
        v: 1,
        ...standInNames(program),
        ...(own && { session: own.id }),
        at,
        pane,
        pid,
        ...(pidStart !== undefined && { pidStart }),
        ...(cwd !== undefined && { cwd }),
        ...report,
      }
      ingest.own(event, 'tailed')
    },

    endStandIn,

    endNeedlessStandIn(program) {
      const standIn = standInOf(program)
      if (!standIn || standIn.verdict.state === 'ended' || !ownOf(program)) return
      endStandIn(program, 'it has a session of its own by now')
    },

    endUnwatched(programs) {
      const watched = new Set(programs.map(({ pid }) => pid))
      for (const { harness, id, pid, pidStart, pane, verdict } of [...herd.current()]) {
        if (verdict.state === 'ended' || !pane || pid === undefined || watched.has(pid)) continue
        if (harness !== PROGRAM && id !== standInId(pid)) continue
        // A failed look proves nothing.
        if (inventory.sighting(pane) !== 'present') continue
        // It left the foreground, and waits until somebody brings it back.
        const known = { start: pidStart, knownAt: Date.now() }
        if (processState(pid, known) === 'suspended') continue
        const about = { v: 1, harness, session: id, at: Date.now() } as const
        const detail = 'it is not watched any more'
        ingest.own({ ...about, kind: 'ended', source: 'screen', detail }, 'tailed')
      }
    },
  }
}

function isRunByAnother({ pid, pidStart }: Session, than: number): boolean {
  if (pid === undefined || pid === than) return false
  return processState(pid, { start: pidStart, knownAt: Date.now() }) !== 'gone'
}

/** What a program calls itself, if this is its stand-in session; otherwise undefined. */
export function programName({ harness, id }: Pick<Session, 'harness' | 'id'>): string | undefined {
  return harness === PROGRAM ? id.replace(/-\d+$/, '') : undefined
}

function standInNames({ adapter, name, pid }: FoundProgram): { harness: string; session: string } {
  return adapter
    ? { harness: adapter.harness, session: standInId(pid) }
    : { harness: PROGRAM, session: `${name}-${pid}` }
}

function standInId(pid: number): string {
  return `pid-${pid}`
}
