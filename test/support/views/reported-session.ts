import { type Explanation, explanationOf } from '../../../src/core/explain/explanation.ts'
import type { Surroundings } from '../../../src/core/explain/missing-signals.ts'
import { type AgentEvent, sessionKey } from '../../../src/core/session/event.ts'
import { noEvidence, withEvent } from '../../../src/core/session/evidence.ts'
import { newSession, type Session } from '../../../src/core/session/session.ts'
import { verdictOf } from '../../../src/core/session/verdict.ts'

export type Told = Partial<AgentEvent> & Pick<AgentEvent, 'kind' | 'at'>

const SURROUNDINGS: Surroundings = {
  title: 'Claude Code',
  advice: { hooks: 'Wire it.', status: 'Old versions do not.' },
  habits: {
    headless: 'claude -p, or a program that drives it',
    dialogFirst: 'its status and its hooks come after this dialog',
    answersUnreported: 'approving fires no hook',
    transcriptMade: 'the first prompt makes it',
  },
  pane: 'present',
  process: undefined,
  transcript: 'there',
}

export function sessionOf(...events: Told[]): Session {
  const event = (one: Told): AgentEvent => {
    return { v: 1, harness: 'claude-code', session: 's', source: 'hook', ...one }
  }
  const session = newSession(sessionKey('claude-code', 's'), event({ kind: 'seen', at: 0 }))
  const known: Partial<Session> = { pid: 7, pane: { socket: '/s', id: '%1' }, transcript: '/t' }
  return judged({ ...session, ...known, evidence: events.map(event).reduce(withEvent, noEvidence) })
}

export function judged(session: Session): Session {
  return { ...session, verdict: verdictOf(session.evidence) }
}

export const explain = (session: Session, surroundings: Partial<Surroundings> = {}): Explanation =>
  explanationOf(session, { ...SURROUNDINGS, ...surroundings })

export const started: Told = { kind: 'started', at: 1, detail: 'SessionStart startup' }
export const prompt: Told = { kind: 'unstuck', at: 2, prompt: true, detail: 'UserPromptSubmit' }
export const asked: Told = {
  ...{ kind: 'stuck', reason: 'permission', at: 10, detail: 'PermissionRequest Bash' },
  ...{ block: 'Bash:make', ask: { text: 'make', tool: 'Bash' } },
}
export const stop = (at: number, more: Partial<AgentEvent> = {}): Told => {
  const ask = { text: 'Done.' }
  return { kind: 'stuck', reason: 'stopped', at, detail: 'Stop', ask, ...more }
}
export const status = (kind: AgentEvent['kind'], at: number, more: Partial<AgentEvent>): Told => {
  return { kind, at, source: 'status', ...more }
}
export const idle = (at: number) => status('stuck', at, { reason: 'stopped', detail: 'idle' })
export const busy = (at: number) => status('unstuck', at, { detail: 'busy' })
