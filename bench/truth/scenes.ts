import type { ModelServer } from '../../test/real-client/support/model/model-server.ts'
import type { Lane } from './lane.ts'
import { comeBack, end, moveToBackground, useCommands } from './scenes/lives.ts'
import { changeFiles, runCommands, useMcp } from './scenes/permissions.ts'
import { askQuestions, makePlans } from './scenes/questions.ts'
import { fail, interrupt } from './scenes/stops.ts'
import { delegate, runInBackground } from './scenes/tasks.ts'
import { startInBackground } from './scenes/unseen.ts'

export type Scenes = (lane: Lane, model: ModelServer) => Promise<void>

/** Each lane runs in its own pane, all of them side by side. */
export const LANES: Record<string, Scenes> = {
  commands: runCommands,
  files: changeFiles,
  tools: useMcp,
  questions: askQuestions,
  plans: makePlans,
  interrupts: interrupt,
  errors: fail,
  background: runInBackground,
  subagents: delegate,
  dialogs: useCommands,
  moved: moveToBackground,
  unseen: startInBackground,
  again: comeBack,
  ends: end,
}
