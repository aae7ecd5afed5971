import { removeHooks, restoreConfig } from '../../harness/codex/install.ts'
import { type CodexFiles, codexFiles, ourTrust, TITLE } from '../codex-settings.ts'
import {
  backupPath,
  type Change,
  confirmChanges,
  removeIfEmpty,
  takeBack,
} from '../install-change.ts'
import { type InstallIo, terminalIo } from '../install-io.ts'
import { inFile, readSettings } from '../settings-file.ts'
import { readUserFile, requireWritable } from '../user-file.ts'

/** Takes back what install added and nothing else; what the user wrote since stays. Idempotent. */
export async function uninstallCodex(
  options: { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<void> {
  const files = codexFiles(io.env)
  const changes = changesFor(files)
  if (changes.length === 0) {
    io.print(`Not installed in ${files.home}: nothing to take back.`)
    return
  }
  for (const { file } of changes) requireWritable(file)
  await confirmChanges(TITLE, changes, options, io)
  for (const change of changes) takeBack(change, io)
  for (const { file, after } of changes) {
    if (!after?.includes('trailboss-emit')) continue
    io.note(`A hook in ${file.path} that does more than run trailboss-emit is yours, and stays.`)
  }
  removeIfEmpty(files.home)
}

/** The hooks first: without them the trust is of no use, and with them it would be missed. */
function changesFor(files: CodexFiles): Change[] {
  const trusted = ourTrust(files, readSettings(files.hooks).text)
  return [
    changed(files.hooks, (text, before) => removeHooks(text, before)),
    changed(files.config, (text, before) => restoreConfig(text, trusted, before)),
  ].flatMap((change) => change ?? [])
}

function changed(
  path: string,
  change: (text: string, before: string | undefined) => string | undefined,
): Change | undefined {
  const { file, text } = readSettings(path)
  if (text === undefined) return undefined
  const before = readUserFile(backupPath(path)).bytes?.toString()
  const after = inFile(path, TITLE, () => change(text, before))
  if (after === text) return undefined
  return { file, after: after === undefined ? after : Buffer.from(after) }
}
