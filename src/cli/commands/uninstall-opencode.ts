import { basename, dirname } from 'node:path'
import { removePlugin } from '../../harness/opencode/install.ts'
import { confirmChanges, removeIfEmpty, reverted, takeBack } from '../install-change.ts'
import { type InstallIo, terminalIo } from '../install-io.ts'
import { namingSettings, ourPluginText, pluginPath, TITLE } from '../opencode-config.ts'
import { readUserFile, requireWritable } from '../user-file.ts'

/** Takes back what install added and nothing else; what the user wrote since stays. Idempotent. */
export async function uninstallOpencode(
  options: { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<void> {
  const plugin = pluginPath(io.env)
  // The line before the plugin that it names.
  const changes = [
    ...namingSettings(io.env).flatMap((path) => reverted(path, TITLE, removePlugin) ?? []),
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
  for (const change of changes) takeBack(change, io)
  for (const dir of [dirname(plugin), dirname(dirname(plugin))]) {
    // As far as they have the names that install gives them.
    if (OUR_DIRECTORIES.includes(basename(dir))) removeIfEmpty(dir)
  }
}

const OUR_DIRECTORIES = ['opencode', '.config']
