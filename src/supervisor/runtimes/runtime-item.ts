import type { SupervisorSubject } from '../../core/session/subject.ts'
import type { Dispatch } from '../../core/supervisor/dispatch/dispatch.ts'
import { failureSentence } from '../../core/supervisor/runtime/failure-code.ts'
import { type Runtime, targetOf, windowOf } from '../../core/supervisor/runtime/runtime.ts'
import type { Escalation } from '../context/escalations.ts'
import { paneOf } from './runtime-observer.ts'

/** What the item of a failed runtime is about. */
export function itemOf({ runtimeId }: Runtime): SupervisorSubject {
  return { kind: 'runtime', id: runtimeId }
}

/**
 * What the operator reads about a runtime that has failed for good; its pane is where to look. That of a dispatch
 * is not to be started again: its agent would know nothing of its task.
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
    pane: paneOf(runtime),
  }
}
