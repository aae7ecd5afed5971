import { rmdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { removePlugin } from '../../harness/opencode/install.ts'
import { backupPath, type Change, confirmChanges, removeBackup } from '../install-change.ts'
import { type InstallIo, terminalIo } from '../install-io.ts'
import { namingSettings, ourPluginText, pluginPath, TITLE } from '../opencode-config.ts'
import { inFile, readSettings } from '../settings-file.ts'
import { readUserFile, removeUserFile, requireWritable, writeUserFile } from '../user-file.ts'

/** Takes back what install added and nothing else; what the user wrote since stays. Idempotent. */
export async function uninstallOpencode(
  options: { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<void> {
  const plugin = pluginPath(io.env)
  // The line before the plugin that it names.
  const changes = [
    ...namingSettings(io.env).map(withoutPlugin),
    ...(ourPluginText(io.env) === undefined
      ? []
      : [{ file: readUserFile(plugin), after: undefined }]),
  ]
  if (changes.length === 0) {
    io.print(`Not installed in ${dirname(plugin)}: nothing to take back.`)
    return
  }
  for (const { file } of changes) requireWritable(file)
  await confirmChanges(TITLE, changes, options, io)
  for (const change of changes) apply(change, io)
  removeIfEmpty(dirname(plugin))
  removeIfEmpty(dirname(dirname(plugin)))
}

function withoutPlugin(path: string): Change {
  const { file, text = '' } = readSettings(path)
  const before = readUserFile(backupPath(path)).bytes?.toString()
  const after = inFile(path, TITLE, () => removePlugin(text, before))
  return { file, after: after === undefined ? after : Buffer.from(after) }
}

function apply(change: Change, io: InstallIo): void {
  const { file, after } = change
  if (after) writeUserFile(file, after)
  else removeUserFile(file)
  io.print(`${after ? 'Changed' : 'Removed'} ${file.path}`)
  removeBackup(change, io)
}

/** Made for the files alone, as far as they have the names that install gives them. */
function removeIfEmpty(dir: string): void {
  if (!OUR_DIRECTORIES.includes(basename(dir))) return
  try {
    rmdirSync(dir)
  } catch {
    // Somebody else has something in it.
  }
}

const OUR_DIRECTORIES = ['opencode', '.config']
