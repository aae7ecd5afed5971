import { launcherPath } from '../../config/installation.ts'
import { ASK_INPUT_CHARS, isJsonWithin } from '../../contract/limits.ts'
import type { QueueItem } from '../../contract/responses.ts'
import type { Session } from '../../core/session/session.ts'
import { truncate, visibleLine } from '../../core/text.ts'
import type { Decisions } from './decisions.ts'

/** The queue is sent often; a window shows all of it. */
const ASK_TEXT_CHARS = 16_000

/** What the queue shows for a decision besides its session: all of it while its asker waits, and how to answer. */
export function decisionItems(decisions: Decisions, env: NodeJS.ProcessEnv) {
  return (session: Session): Partial<QueueItem> | undefined => {
    if (session.about?.kind !== 'decision') return undefined
    const { id } = session.about
    const decision = decisions.find(id)
    if (!decision) return undefined
    const { asker, kind, options, more, tool, input } = decision
    const isCut = decision.cut || decision.text.length > ASK_TEXT_CHARS
    const isSmall = input !== undefined && isJsonWithin(input, ASK_INPUT_CHARS)
    const text = truncate(decision.text, ASK_TEXT_CHARS)
    return {
      program: visibleLine(asker.name),
      decision: { kind, options, more, ...(isCut && { cut: true }) },
      open: [...homeOf(env), launcherPath(), 'decide', id],
      ask: { text, ...(tool !== null && { tool }), ...(isSmall && { input }) },
    }
  }
}

export function* decisionIds(sessions: Iterable<Session>): Generator<string> {
  for (const { about } of sessions) if (about?.kind === 'decision') yield about.id
}

/** A window of tmux has tmux's own environment. */
function homeOf(env: NodeJS.ProcessEnv): string[] {
  const home = env['TRAILBOSS_HOME']
  return home ? ['env', `TRAILBOSS_HOME=${home}`] : []
}
