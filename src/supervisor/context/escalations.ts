import type { PaneRef } from '../../core/pane.ts'
import { type AgentEvent, sessionKey } from '../../core/session/event.ts'
import { withoutSecrets } from '../../core/session/event-redaction.ts'
import type { WaitLabel } from '../../core/session/wait-label.ts'
import type { Herd } from '../../daemon/herd/herd.ts'

/** As what the supervisor's own items stand in the queue. */
export const SUPERVISOR = 'trailboss'

/** Something that only the operator can settle: an item in the one queue, until it is settled. */
export type Escalation = {
  /** `trigger-…`, `runtime-…`, `thread-…`: telling it again changes its text only. */
  id: string
  text: string
  /** Absent: something has failed. */
  label?: WaitLabel
  cwd?: string | undefined
  /** Where to look: the session that is there stays what it is. */
  pane?: PaneRef | undefined
}

export type Escalations = {
  raise(escalation: Escalation): void
  /** Whether it is in the queue. */
  isRaised(id: string): boolean
  /** It is over, by the operator's act or without it. Harmless where there is none. */
  end(id: string, how: string, by: 'operator' | 'itself'): void
}

const OPERATORS_ACT = { kind: 'unstuck', prompt: true } as const

export function createEscalations(herd: Herd): Escalations {
  const tell = (id: string, told: Partial<AgentEvent> & Pick<AgentEvent, 'kind'>) => {
    const at = herd.clock.now()
    const about = { v: 1, harness: SUPERVISOR, session: id, source: 'api', at } as const
    herd.receive(withoutSecrets({ ...about, ...told }), { recovered: false })
  }
  const isRaised = (id: string) => {
    const known = herd.session(sessionKey(SUPERVISOR, id))
    return known !== undefined && known.verdict.state !== 'ended'
  }
  return {
    raise({ id, text, label = 'error', cwd, pane }) {
      tell(id, {
        kind: 'stuck',
        reason: 'stopped',
        label,
        ask: { text },
        ...(cwd !== undefined && { cwd }),
        ...(pane && { pane, isGuest: true }),
      })
    },
    isRaised,
    end(id, how, by) {
      if (!isRaised(id)) return
      const lifts = by === 'operator' ? OPERATORS_ACT : ({ kind: 'seen' } as const)
      tell(id, { ...lifts, detail: how })
      tell(id, { kind: 'ended', detail: how })
    },
  }
}
