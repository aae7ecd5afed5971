import { dirname } from 'node:path'
import { removeHooks } from '../../harness/hook-edit.ts'
import type { HookSettings } from '../hook-settings.ts'
import {
  confirmChanges,
  noteForeignHooks,
  removeIfEmpty,
  reverted,
  takeBack,
} from '../install-change.ts'
import { type InstallIo, terminalIo } from '../install-io.ts'
import { requireWritable } from '../user-file.ts'

/** Takes back what install added and nothing else; what the user wrote since stays. Idempotent. */
export async function uninstallHooks(
  { manner, ...settings }: HookSettings,
  options: { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<void> {
  const path = settings.path(io.env)
  const change = reverted(path, manner.title, (text, backup) => removeHooks(manner, text, backup))
  if (!change) {
    io.print(`Not installed in ${path}: nothing to take back.`)
    return
  }
  requireWritable(change.file)
  await confirmChanges(manner.title, [change], options, io)
  takeBack(change, io)
  if (!change.after) removeIfEmpty(dirname(path))
  noteForeignHooks([change], io)
}
