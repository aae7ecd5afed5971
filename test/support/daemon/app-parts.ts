import type { StatusView } from '../../../src/contract/responses.ts'
import type { AppParts } from '../../../src/daemon/http/app.ts'
import { createViews } from '../../../src/daemon/views/views.ts'
import type { TestHerd } from './test-herd.ts'

/** What the daemon's routes need, on a test herd, with nothing else behind them. */
export function appParts({ herd, inventory, ingest, log, store }: TestHerd): AppParts {
  return {
    herd,
    views: createViews(herd, inventory),
    ingest,
    log,
    cooldownMs: () => 60_000,
    status: () => ({}) as StatusView,
    monitor: () => ({ panes: [] }),
    metrics: async () => '',
    requireStored: () => {
      if (!store.isInPlace()) store.restoreFiles()
    },
    knowServer: () => undefined,
    canReply: false,
    more: [],
  }
}
