import type { Runtime } from '../../../src/core/supervisor/runtime/runtime.ts'
import type { RuntimeStatus } from '../../../src/core/supervisor/runtime/runtime-transition.ts'

/** The same runtime in another status, in a pane that nobody has opened. */
export function runtimeIn(status: RuntimeStatus, runtime: Runtime): Runtime {
  const pane = { paneId: '%9', serverPid: 7, panePid: 8 }
  return { ...runtime, status, pane, restartBy: undefined }
}
