import { failureSentence } from '../../core/supervisor/failure-code.ts'
import { type Runtime, targetOf, windowOf } from '../../core/supervisor/runtime.ts'
import type { Escalation } from './escalations.ts'
import { paneOf } from './runtime-sights.ts'

/** The name of a failed runtime in the queue. */
export function itemOf({ runtimeId }: Runtime): string {
  return `runtime-${runtimeId}`
}

/** What the operator is told of a runtime that has failed for good; its pane is where to look. */
export function failureOf(runtime: Runtime): Escalation {
  const { agentId, cwd, lastFailure } = runtime
  const why = lastFailure
    ? `${lastFailure.code}: ${lastFailure.why ?? failureSentence(lastFailure.code)}`
    : 'It failed again and again.'
  const pane = paneOf(runtime)
  return {
    id: itemOf(runtime),
    text: `Runtime ${agentId} has failed for good. ${why} See ${windowOf(targetOf(runtime))}, then: trailboss runtime start ${agentId}`,
    cwd,
    ...(pane && { pane: { socket: pane.socket, id: pane.paneId, server: pane.serverPid } }),
  }
}
