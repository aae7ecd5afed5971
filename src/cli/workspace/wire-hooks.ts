import { TrailBossError } from '../../core/errors.ts'
import { wiredAdapters } from '../../harness/registry.ts'
import { reportError } from '../context/run-command.ts'
import { wireHarness } from '../install/install-harness.ts'
import type { InstallIo } from '../install/install-io.ts'
import { createSite } from '../install/site.ts'
import { lookAtHooks } from './hook-checks.ts'

/**
 * Installs the hooks that these harnesses lack, as `trailboss install` does. A refusal or a failure for one does
 * not stop the others: the workspace also works without hooks.
 */
export async function wireHooks(
  harnesses: readonly string[],
  options: { yes?: boolean },
  io: InstallIo,
): Promise<void> {
  const { site } = createSite(io)
  for (const adapter of wiredAdapters().filter(({ harness }) => harnesses.includes(harness))) {
    if (!adapter.wiring.isInUse(site)) continue
    if (!(await lookAtHooks(adapter, site)).isMissing) continue
    io.note(`\n${adapter.title} has no hooks yet that report when a prompt has arrived:`)
    try {
      await wireHarness(adapter, options, io)
    } catch (error) {
      if (!(error instanceof TrailBossError)) throw error
      reportError(error)
    }
  }
}
