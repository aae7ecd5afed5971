import type { RuntimeLogsView } from '../../contract/supervisor.ts'
import { redactedScreen } from '../../core/redact/redaction.ts'
import { paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { displayText } from '../../core/text.ts'
import { readRuntimeScreen, saveRuntimeScreen } from '../../store/tables/runtime-screens.ts'
import type { RunCommands } from '../../tmux/exec.ts'
import { paneTail } from '../../tmux/pane-tail.ts'
import type { SupervisorContext } from '../context/context.ts'

/** The end of what the panes of runtimes show: now, or as their last process left it. */
export type RuntimeScreens = {
  view(runtime: Runtime, lines: number): Promise<RuntimeLogsView>
  /** Saves what is there before the pane is reused or closed. */
  keep(runtime: Runtime): Promise<void>
}

const KEPT_LINES = 200

export function createRuntimeScreens(
  { db, clock }: Pick<SupervisorContext, 'db' | 'clock'>,
  ask: RunCommands,
): RuntimeScreens {
  const tailOf = async (runtime: Runtime, lines: number): Promise<string | undefined> => {
    const pane = paneIn(runtime)
    const tail = pane && (await paneTail(pane, lines, ask))
    return tail === undefined ? undefined : redactedScreen(displayText(tail)).trimEnd()
  }
  return {
    async view(runtime, lines) {
      const { agentId, runtimeId } = runtime
      const tail = await tailOf(runtime, lines)
      if (tail !== undefined) {
        const at = Math.round(clock.toWall(clock.now()))
        return { agent: agentId, screen: { at, live: true, text: tail } }
      }
      const kept = readRuntimeScreen(db, runtimeId)
      if (!kept) return { agent: agentId, screen: null }
      const text = kept.text.split('\n').slice(-lines).join('\n')
      return { agent: agentId, screen: { at: kept.at, live: false, text } }
    },
    async keep(runtime) {
      const text = await tailOf(runtime, KEPT_LINES)
      if (!text) return
      saveRuntimeScreen(db, runtime.runtimeId, { at: Math.round(clock.toWall(clock.now())), text })
    },
  }
}
