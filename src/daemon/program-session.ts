import { type AgentEvent, sessionKey } from '../core/event.ts'
import type { MonitorReport } from '../core/monitor/report.ts'
import type { Session } from '../core/session.ts'
import type { FoundProgram } from './found-program.ts'
import type { Herd } from './herd.ts'
import type { Ingest } from './ingest.ts'
import { directoryOf } from './processes.ts'

/** The harness of a session whose program is none that we know. */
export const PROGRAM = 'program'

/**
 * The sessions of programs, for what the monitor has to tell of them: the one that the harness itself
 * has told of, else one that stands in for it under the pid of the program.
 */
export type ProgramSessions = {
  of(program: FoundProgram): Session | undefined
  tell(program: FoundProgram, report: MonitorReport): void
  /** Ends the stand-in, if there is one: the program has a session of its own, or is not watched. */
  endStandIn(program: FoundProgram, detail: string): void
}

export function createProgramSessions(herd: Herd, ingest: Ingest): ProgramSessions {
  const ownOf = ({ adapter, pid, pane }: FoundProgram): Session | undefined => {
    if (!adapter) return undefined
    const others = [...herd.current()].filter(
      ({ harness, id, verdict }) =>
        harness === adapter.harness && id !== standInId(pid) && verdict.state !== 'ended',
    )
    const isHere = (session: Session) =>
      session.pane?.id === pane.id && session.pane.socket === pane.socket && !session.headless
    return others.find((session) => session.pid === pid) ?? others.find(isHere)
  }
  const standInOf = (program: FoundProgram) => {
    const { harness, session } = standInNames(program)
    return herd.session(sessionKey(harness, session))
  }

  return {
    of: (program) => ownOf(program) ?? standInOf(program),

    tell(program, report) {
      const { pane, pid, pidStart } = program
      const own = ownOf(program)
      // Nobody has to be told of the end of what nobody knew.
      if (report.kind === 'ended' && !own && !standInOf(program)) return
      const cwd = directoryOf(pid)
      const event: AgentEvent = {
        v: 1,
        ...standInNames(program),
        ...(own && { session: own.id }),
        at: Date.now(),
        pane,
        pid,
        ...(pidStart !== undefined && { pidStart }),
        ...(cwd !== undefined && { cwd }),
        ...report,
      }
      ingest.own(event, 'tailed')
    },

    endStandIn(program, detail) {
      const standIn = standInOf(program)
      if (!standIn || standIn.verdict.state === 'ended') return
      const about = { v: 1, ...standInNames(program), at: Date.now() } as const
      ingest.own({ ...about, kind: 'ended', source: 'screen', detail }, 'tailed')
    },
  }
}

function standInNames({ adapter, name, pid }: FoundProgram): { harness: string; session: string } {
  return adapter
    ? { harness: adapter.harness, session: standInId(pid) }
    : { harness: PROGRAM, session: `${name}-${pid}` }
}

function standInId(pid: number): string {
  return `pid-${pid}`
}
