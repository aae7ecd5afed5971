import type { Dispatch } from '../../core/supervisor/dispatch/dispatch.ts'
import { DEFAULT_POLICY, type TriagePolicy } from '../../core/supervisor/policy.ts'
import type { Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { findDispatchOfRuntime } from '../../store/tables/dispatches.ts'
import type { SupervisorContext } from '../context/context.ts'
import type { AgentPlan } from '../context/workspaces.ts'

type Context = Pick<SupervisorContext, 'db' | 'workspaces'>

/** How a runtime is started: as its dispatch says, or as the configuration says for its role. */
export function planOfRuntime({ db, workspaces }: Context, runtime: Runtime): AgentPlan {
  const dispatch = findDispatchOfRuntime(db, runtime.runtimeId)
  return dispatch ? planOfDispatch({ workspaces }, dispatch) : workspaces.plan(runtime.agentId)
}

/** If the configuration no longer contains its place, nothing may be pressed. */
export function policyOfDispatch(
  context: Pick<Context, 'workspaces'>,
  dispatch: Dispatch,
): TriagePolicy {
  try {
    return planOfDispatch(context, dispatch).policy
  } catch {
    return DEFAULT_POLICY
  }
}

/** Its program and its policy come from the current configuration. */
function planOfDispatch(
  { workspaces }: Pick<Context, 'workspaces'>,
  { workspaceId, name, harness, cwd }: Dispatch,
): AgentPlan {
  return workspaces.planFor({ workspaceId, role: name, harness, cwd })
}
