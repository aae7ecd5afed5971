import type { WiredAdapter } from '../../harness/adapter/adapter.ts'
import type { WiringOptions } from '../../harness/wiring/wiring.ts'
import {
  clearLeftovers,
  confirmChanges,
  noteForeignHooks,
  removeMade,
  takeBack,
} from './install-change.ts'
import { type InstallIo, terminalIo } from './install-io.ts'
import { createSite } from './site.ts'
import { requireWritable } from './user-file.ts'

/** Shows what the wiring would remove, asks, and removes it. True if something changed. */
export async function uninstallHarness(
  { title, wiring }: WiredAdapter,
  options: WiringOptions & { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<boolean> {
  const { site, fileOf } = createSite(io)
  const plan = await wiring.uninstall.plan(site, options)
  clearLeftovers(plan.files, io)
  const changes = plan.changes.map(({ path, after }) => ({
    file: fileOf(path),
    after: after === undefined ? undefined : Buffer.from(after),
  }))
  if (changes.length === 0) {
    io.print(`Not installed in ${plan.place}: nothing to take back.`)
    if (plan.elsewhere !== undefined) io.note(plan.elsewhere)
  } else {
    for (const { file } of changes) requireWritable(file)
    await confirmChanges(title, changes, options, io)
    for (const change of changes) takeBack(change, io)
    noteForeignHooks(changes, io)
  }
  removeMade(plan.made)
  return changes.length > 0
}
