import type { Pane, PaneRef } from '../../core/pane.ts'
import { type AgentEvent, sessionKey } from '../../core/session/event.ts'
import { withoutSecrets } from '../../core/session/event-redaction.ts'
import { type OwnSubject, SUPERVISOR, subjectName } from '../../core/session/subject.ts'
import type { WaitLabel } from '../../core/session/wait-label.ts'
import type { Herd } from './herd.ts'

/** Something that only the operator can settle: an item in the one queue, until it is settled. */
export type Escalation = {
  /** Raising it again only changes its text. */
  about: OwnSubject
  text: string
  /** A permission that was asked for, with its tool; absent for anything else. */
  permission?: { tool: string; input?: unknown } | undefined
  /** Epoch ms of the wait, by which it is ordered; absent: now. */
  since?: number
  /** Absent if something has failed. */
  label?: WaitLabel
  cwd?: string | undefined
  /** Where to look; it does not affect the session that is there. */
  pane?: Pane | undefined
}

export type Escalations = {
  raise(escalation: Escalation): void
  /** Whether it is in the queue. */
  isRaised(about: OwnSubject): boolean
  /** It is over, by the operator's act or without it. Harmless if it is not in the queue. */
  end(about: OwnSubject, how: string, by: 'operator' | 'itself'): void
}

const OPERATORS_ACT = { kind: 'unstuck', prompt: true } as const

export function createEscalations(herd: Herd): Escalations {
  let lastAt = 0
  const tell = (
    about: OwnSubject,
    told: Partial<AgentEvent> & Pick<AgentEvent, 'kind'>,
    since?: number,
  ) => {
    // A claim counts only if it is newer: one raised again in the millisecond of its end would be lost.
    const session = subjectName(about)
    const known = herd.session(sessionKey(SUPERVISOR, session))?.lastAt ?? 0
    const now = Math.max(herd.clock.now(), lastAt + 1)
    const at =
      since === undefined ? now : Math.max(Math.min(herd.clock.fromWall(since), now), known + 1)
    lastAt = Math.max(lastAt, at)
    const event = { v: 1, harness: SUPERVISOR, session, about, source: 'api', at, ...told } as const
    herd.receive(withoutSecrets(event), { recovered: since !== undefined })
  }
  const isRaised = (about: OwnSubject) => {
    const known = herd.session(sessionKey(SUPERVISOR, subjectName(about)))
    return known !== undefined && known.verdict.state !== 'ended'
  }
  return {
    raise({ about, text, permission, since, label = 'error', cwd, pane }) {
      const told = {
        kind: 'stuck',
        reason: permission ? 'permission' : 'stopped',
        label,
        ask: { text, ...permission },
        ...(cwd !== undefined && { cwd }),
        ...(pane && { pane: placeOf(pane), isGuest: true }),
      } as const
      tell(about, told, since)
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
