import { lastLines } from '../../core/monitor/report.ts'
import type { Screen } from '../../core/screen/screen.ts'
import { paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import type { Escalation } from '../context/escalations.ts'
import { itemOf } from '../runtimes/runtime-item.ts'

/** What the operator reads about an agent that hangs. */
export function hangOf(runtime: Runtime, shown: Screen | undefined): Escalation {
  const { agentId, cwd } = runtime
  const text = [
    `${agentId} hangs: nothing on its screen moves, and nothing in it uses the CPU.`,
    ...(shown ? frozenOutput(shown) : []),
    `If it does not go on when you look at it: trailboss runtime restart ${agentId}`,
  ].join('\n')
  return { about: itemOf(runtime), text, label: 'stalled', cwd, pane: paneIn(runtime) }
}

/** The end of a screen that stands still. */
export function frozenOutput(screen: Parameters<typeof lastLines>[0]): string[] {
  const lines = lastLines(screen)
  return lines.length === 0 ? [] : ['Its screen ends with:', ...lines]
}
