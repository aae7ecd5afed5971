import { removeHooks, restoreConfig } from '../../harness/codex/install.ts'
import type { Emitter } from '../../harness/emitter-command.ts'
import { type CodexFiles, codexFiles, everyTrust, TITLE } from '../codex-settings.ts'
import {
  type Change,
  confirmChanges,
  noteForeignHooks,
  removeIfEmpty,
  reverted,
  takeBack,
} from '../install-change.ts'
import { type InstallIo, terminalIo } from '../install-io.ts'
import { emitterFor } from '../install-next.ts'
import { readSettings } from '../settings-file.ts'
import { requireWritable } from '../user-file.ts'

/** Takes back what install added and nothing else; what the user wrote since stays. Idempotent. */
export async function uninstallCodex(
  options: { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<void> {
  const files = codexFiles(io.env)
  const changes = changesFor(files, emitterFor(io.env))
  if (changes.length === 0) {
    io.print(`Not installed in ${files.home}: nothing to take back.`)
    return
  }
  for (const { file } of changes) requireWritable(file)
  await confirmChanges(TITLE, changes, options, io)
  for (const change of changes) takeBack(change, io)
  noteForeignHooks(changes, io)
  removeIfEmpty(files.home)
}

/** The hooks first: without them the trust is of no use, and with them it would be missed. */
function changesFor(files: CodexFiles, emitter: Emitter): Change[] {
  const trusted = everyTrust(files, readSettings(files.hooks).text, emitter)
  return [
    reverted(files.hooks, TITLE, removeHooks),
    reverted(files.config, TITLE, (text, before) => restoreConfig(text, trusted, before)),
  ].flatMap((change) => change ?? [])
}
