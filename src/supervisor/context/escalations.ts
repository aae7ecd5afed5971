import type { Pane, PaneRef } from '../../core/pane.ts'
import { type AgentEvent, sessionKey } from '../../core/session/event.ts'
import { withoutSecrets } from '../../core/session/event-redaction.ts'
import { SUPERVISOR, type SupervisorSubject, subjectName } from '../../core/session/subject.ts'
import type { WaitLabel } from '../../core/session/wait-label.ts'
import type { Herd } from './herd.ts'

/** Something that only the operator can settle: an item in the one queue, until it is settled. */
export type Escalation = {
  /** Raising it again only changes its text. */
  about: SupervisorSubject
  text: string
  /** Absent if something has failed. */
  label?: WaitLabel
  cwd?: string | undefined
  /** Where to look; it does not affect the session that is there. */
  pane?: Pane | undefined
}

export type Escalations = {
  raise(escalation: Escalation): void
  /** Whether it is in the queue. */
  isRaised(about: SupervisorSubject): boolean
  /** It is over, by the operator's act or without it. Harmless if it is not in the queue. */
  end(about: SupervisorSubject, how: string, by: 'operator' | 'itself'): void
}

const OPERATORS_ACT = { kind: 'unstuck', prompt: true } as const

export function createEscalations(herd: Herd): Escalations {
  let lastAt = 0
  const tell = (about: SupervisorSubject, told: Partial<AgentEvent> & Pick<AgentEvent, 'kind'>) => {
    // A claim counts only if it is newer: one raised again in the millisecond of its end would be lost.
    const at = Math.max(herd.clock.now(), lastAt + 1)
    lastAt = at
    const session = subjectName(about)
    const event = { v: 1, harness: SUPERVISOR, session, about, source: 'api', at, ...told } as const
    herd.receive(withoutSecrets(event), { recovered: false })
  }
  const isRaised = (about: SupervisorSubject) => {
    const known = herd.session(sessionKey(SUPERVISOR, subjectName(about)))
    return known !== undefined && known.verdict.state !== 'ended'
  }
  return {
    raise({ about, text, label = 'error', cwd, pane }) {
      tell(about, {
        kind: 'stuck',
        reason: 'stopped',
        label,
        ask: { text },
        ...(cwd !== undefined && { cwd }),
        ...(pane && { pane: placeOf(pane), isGuest: true }),
      })
    },
    isRaised,
    end(about, how, by) {
      if (!isRaised(about)) return
      const lifts = by === 'operator' ? OPERATORS_ACT : ({ kind: 'seen' } as const)
      tell(about, { ...lifts, detail: how })
      tell(about, { kind: 'ended', detail: how })
    },
  }
}

/** Whatever runs in it by now: that is where the operator looks. */
function placeOf({ socket, id, server }: Pane): PaneRef {
  return { socket, id, server }
}
