import { dirname } from 'node:path'
import { removeHooks } from '../../harness/gemini/install.ts'
import { geminiSettings, TITLE } from '../gemini-settings.ts'
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
export async function uninstallGemini(
  options: { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<void> {
  const path = geminiSettings(io.env)
  const change = reverted(path, TITLE, removeHooks)
  if (!change) {
    io.print(`Not installed in ${path}: nothing to take back.`)
    return
  }
  requireWritable(change.file)
  await confirmChanges(TITLE, [change], options, io)
  takeBack(change, io)
  if (!change.after) removeIfEmpty(dirname(path))
  noteForeignHooks([change], io)
}
