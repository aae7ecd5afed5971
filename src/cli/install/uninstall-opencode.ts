import { dirname } from 'node:path'
import { removePlugin } from '../../harness/opencode/install.ts'
import { clearLeftovers, confirmChanges, removeMade, reverted, takeBack } from './install-change.ts'
import { type InstallIo, terminalIo } from './install-io.ts'
import { namingSettings, ourPluginText, pluginPath, TITLE, tuiPaths } from './opencode-config.ts'
import { readUserFile, requireWritable } from './user-file.ts'

/**
 * Takes back what install added and nothing else; what the user wrote since stays. Idempotent. True when
 * something was changed.
 */
export async function uninstallOpencode(
  options: { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<boolean> {
  const plugin = pluginPath(io.env)
  clearLeftovers([plugin, ...tuiPaths(io.env)], io)
  // The line before the plugin that it names.
  const changes = [
    ...namingSettings(io.env).flatMap((path) => reverted(path, TITLE, removePlugin) ?? []),
    ...(ourPluginText(io.env) === undefined
      ? []
      : [{ file: readUserFile(plugin), after: undefined }]),
  ]
  if (changes.length === 0) {
    io.print(`Not installed in ${dirname(plugin)}: nothing to take back.`)
    removeMade(dirname(plugin))
    return false
  }
  for (const { file } of changes) requireWritable(file)
  await confirmChanges(TITLE, changes, options, io)
  for (const change of changes) takeBack(change, io)
  removeMade(dirname(plugin))
  return true
}
