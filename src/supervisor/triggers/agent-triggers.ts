import type { TriggerView } from '../../contract/supervisor.ts'
import type { RuntimeToken } from '../../core/bridge/token.ts'
import { TrailBossError } from '../../core/errors.ts'
import type { AgentTrigger } from '../bridge/bridge.ts'
import { agentIn } from '../context/agent-names.ts'
import type { Triggers } from './triggers.ts'

/** A trigger that an agent asks for: within its workspace, not for itself, and never past the operator. */
export function triggerBy(
  triggers: Triggers,
  { agentId, workspaceId }: RuntimeToken,
  { agent, reason, text, thread }: AgentTrigger,
): TriggerView {
  const target = agentIn(workspaceId, agent)
  if (target === agentId) {
    throw new TrailBossError('BAD_REQUEST', 'An agent cannot prompt itself.', {
      hint: 'Go on with your work instead.',
    })
  }
  if (!target.startsWith(`${workspaceId}/`)) {
    throw new TrailBossError('NOT_FOUND', `There is no such agent in workspace ${workspaceId}.`)
  }
  return triggers.view(
    triggers.create({ agentId: target, threadId: thread, reason, text, by: agentId }),
  )
}
