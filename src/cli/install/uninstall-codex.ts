import { removeHooks, restoreConfig } from '../../harness/codex/wiring/install.ts'
import type { Emitter } from '../../harness/hooks/emitter-command.ts'
import { type CodexFiles, codexFiles, everyTrust, TITLE } from './codex-settings.ts'
import {
  type Change,
  clearLeftovers,
  confirmChanges,
  noteForeignHooks,
  removeMade,
  reverted,
  takeBack,
} from './install-change.ts'
import { type InstallIo, terminalIo } from './install-io.ts'
import { emitterFor } from './install-next.ts'
import { readSettings } from './settings-file.ts'
import { requireWritable } from './user-file.ts'

/**
 * Takes back what install added and nothing else; what the user wrote since stays. Idempotent. True when
 * something was changed.
 */
export async function uninstallCodex(
  options: { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<boolean> {
  const files = codexFiles(io.env)
  clearLeftovers([files.hooks, files.config], io)
  const changes = changesFor(files, emitterFor(io.env))
  if (changes.length === 0) {
    io.print(`Not installed in ${files.home}: nothing to take back.`)
    removeMade(files.home)
    return false
  }
  for (const { file } of changes) requireWritable(file)
  await confirmChanges(TITLE, changes, options, io)
  for (const change of changes) takeBack(change, io)
  noteForeignHooks(changes, io)
  removeMade(files.home)
  return true
}

/** The hooks first: without them the trust is of no use, and with them it would be missed. */
function changesFor(files: CodexFiles, emitter: Emitter): Change[] {
  const trusted = everyTrust(files, readSettings(files.hooks).text, emitter)
  return [
    reverted(files.hooks, TITLE, removeHooks),
    reverted(files.config, TITLE, (text, before) => restoreConfig(text, trusted, before)),
  ].flatMap((change) => change ?? [])
}
