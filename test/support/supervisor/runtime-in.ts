import type { Runtime } from '../../../src/core/supervisor/runtime/runtime.ts'
import type { RuntimeStatus } from '../../../src/core/supervisor/runtime/runtime-transition.ts'

/** The same runtime in another status, in a pane that nobody has opened. */
export function runtimeIn(status: RuntimeStatus, runtime: Runtime): Runtime {
  const pane = { socket: '/s', id: '%9', server: 7, pid: 8 }
  return { ...runtime, status, pane, restartBy: undefined }
}
