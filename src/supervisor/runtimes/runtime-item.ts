import type { OwnSubject } from '../../core/session/subject.ts'
import type { Dispatch } from '../../core/supervisor/dispatch/dispatch.ts'
import { failureSentence } from '../../core/supervisor/runtime/failure-code.ts'
import { paneIn, type Runtime, targetOf, windowOf } from '../../core/supervisor/runtime/runtime.ts'
import type { Escalation } from '../context/escalations.ts'

/** The subject of the item for a failed runtime. */
export function itemOf({ runtimeId }: Runtime): OwnSubject {
  return { kind: 'runtime', id: runtimeId }
}

/**
 * What the operator reads about a runtime that has failed for good; its pane is where to look. The runtime of a
 * dispatch must not be started again: its agent would not know its task.
 */
export function failureOf(
  runtime: Runtime,
  dispatch: Pick<Dispatch, 'name'> | undefined,
): Escalation {
  const { agentId, cwd, lastFailure } = runtime
  const window = windowOf(targetOf(runtime))
  const why = lastFailure
    ? `${lastFailure.code}: ${lastFailure.why ?? failureSentence(lastFailure.code)}`
    : 'It failed again and again.'
  return {
    about: itemOf(runtime),
    text: dispatch
      ? `The agent of dispatch ${dispatch.name} has failed for good. ${why} See ${window}, or: trailboss dispatch logs ${dispatch.name}. To clear it away: trailboss dispatch stop ${dispatch.name}`
      : `Runtime ${agentId} has failed for good. ${why} See ${window}, then: trailboss runtime start ${agentId}`,
    cwd,
    pane: paneIn(runtime),
  }
}
