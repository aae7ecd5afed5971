import type { AgentEvent } from '../../core/session/event.ts'
import { findRuntimeOfSession } from '../../store/tables/runtimes.ts'
import type { Bridge } from '../bridge/bridge.ts'
import type { SupervisorContext } from '../context/context.ts'

/**
 * Posts a notice to the orchestrator when the operator prompts one of the other agents: a prompt without a mark
 * of ours was typed.
 */
export function reportIntervention(
  { db, workspaces }: SupervisorContext,
  bridge: Bridge,
  { harness, session, subagent }: AgentEvent,
): void {
  const runtime = subagent === undefined && findRuntimeOfSession(db, harness, session)
  if (!runtime || !workspaces.ids().includes(runtime.workspaceId)) return
  const { workspaceId, agentId } = runtime
  const orchestrator = workspaces.orchestratorOf(workspaceId)
  if (orchestrator === undefined || orchestrator === agentId) return
  const thread = bridge.ensureThread({
    workspaceId,
    name: 'operator',
    title: 'What the operator did himself',
    participants: [orchestrator],
  })
  if (thread.state.kind !== 'open') return
  const text = `The operator typed a prompt into the pane of ${agentId} himself. Find out what it does now before you give it more work.`
  bridge.postSystem(thread.id, text, [orchestrator])
}
