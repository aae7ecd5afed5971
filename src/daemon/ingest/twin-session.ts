import { type AgentEvent, sessionKey, twinOf } from '../../core/session/event.ts'
import type { Session } from '../../core/session/session.ts'
import type { Adapter } from '../../harness/adapter/adapter.ts'
import { adapterFor } from '../../harness/registry.ts'
import { argvOf, nameOf } from '../../process/command.ts'
import { processState } from '../../process/process-state.ts'
import type { Herd } from '../herd/herd.ts'

/** Gives a session id as the harness reports it the name that it has with us. */
export type NameSession = (
  about: Pick<AgentEvent, 'harness' | 'session' | 'pid' | 'headless'>,
) => string

/**
 * A session is a conversation in a process. While one process has it, a second one with the same id, in another
 * terminal, is a session of its own: its twin, `<id>#<pid>`. It stays that when the first one ends.
 */
export function createTwinNames(herd: Pick<Herd, 'session' | 'clock'>): NameSession {
  const isThere = (session: Session | undefined): session is Session =>
    session !== undefined && session.verdict.state !== 'ended'

  return ({ harness, session, pid, headless }) => {
    const adapter = adapterFor(harness)
    // Only a harness that publishes the state of each process tells two of them apart.
    if (pid === undefined || headless || !adapter?.status) return session
    const twin = twinOf(session, pid)
    if (isThere(herd.session(sessionKey(harness, twin)))) return twin
    const first = herd.session(sessionKey(harness, session))
    if (!isThere(first) || first.headless || first.pid === undefined || first.pid === pid) {
      return session
    }
    const known = { start: first.pidStart, knownAt: herd.clock.toWall(first.lastAt) }
    if (processState(first.pid, known) === 'gone') return session
    return isHarness(first.pid, adapter) && isHarness(pid, adapter) ? twin : session
  }
}

/** A transcript does not say which of two processes wrote a line, so it is evidence for neither. */
export function isOfTwins({ harness, session, source }: AgentEvent, herd: Pick<Herd, 'current'>) {
  if (source !== 'transcript' || !adapterFor(harness)?.status) return false
  for (const { harness: its, id, verdict } of herd.current()) {
    if (its === harness && verdict.state !== 'ended' && id.startsWith(twinOf(session, '')))
      return true
  }
  return false
}

/** What a process reports about its session, under the name that it has with us. */
export function underOurName(event: AgentEvent, session: string): AgentEvent {
  if (session === event.session) return event
  const { transcript: _, ...rest } = event
  return { ...rest, session }
}

function isHarness(pid: number, { isProcess }: Adapter): boolean {
  const name = nameOf(pid)
  return name !== undefined && isProcess?.({ name, argv: argvOf(pid) }) === true
}
