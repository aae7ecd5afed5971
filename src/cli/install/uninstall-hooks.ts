import { dirname } from 'node:path'
import { removeHooks } from '../../harness/hooks/hook-edit.ts'
import type { HookSettings } from './hook-settings.ts'
import {
  clearLeftovers,
  confirmChanges,
  noteForeignHooks,
  removeMade,
  reverted,
  takeBack,
} from './install-change.ts'
import { type InstallIo, terminalIo } from './install-io.ts'
import { requireWritable } from './user-file.ts'

/**
 * Takes back what install added and nothing else; what the user wrote since stays. Idempotent. True when
 * something was changed.
 */
export async function uninstallHooks(
  { manner, ...settings }: HookSettings,
  options: { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<boolean> {
  const path = settings.path(io.env)
  clearLeftovers([path], io)
  const change = reverted(path, manner.title, (text, backup) => removeHooks(manner, text, backup))
  if (!change) {
    io.print(`Not installed in ${path}: nothing to take back.`)
    removeMade(dirname(path))
    return false
  }
  requireWritable(change.file)
  await confirmChanges(manner.title, [change], options, io)
  takeBack(change, io)
  removeMade(dirname(path))
  noteForeignHooks([change], io)
  return true
}
