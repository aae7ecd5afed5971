import { isAtRest } from '../core/supervisor/runtime/runtime.ts'
import { truncate } from '../core/text.ts'
import { audit } from './context/context.ts'
import { changeWords, type WorkspaceChanges } from './context/workspace-changes.ts'
import type { WorkspaceConfigs } from './context/workspaces.ts'
import type { Supervisor } from './supervisor.ts'

/** Makes the supervisor use these workspaces from now on. Returns the agents that still run as before. */
export function takeWorkspaces(
  { context, registry }: Pick<Supervisor, 'context' | 'registry'>,
  workspaces: WorkspaceConfigs,
  changes: WorkspaceChanges,
  actor: string,
): string[] {
  context.workspaces.replace(workspaces)
  const words = changeWords(changes)
  if (words.length === 0) return []
  const detail = truncate(words.join('; '), 400)
  audit(context, { kind: 'workspaces_reloaded', actor, detail, result: 'ok' })
  const { changed, removed } = changes.agents
  return [...changed, ...removed].filter((agentId) => {
    const runtime = registry.ofAgent(agentId)
    return runtime !== undefined && !isAtRest(runtime)
  })
}
