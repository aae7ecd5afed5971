import { dirname } from 'node:path'
import { removeHooks } from '../../harness/claude-code/install.ts'
import { isOurManifest } from '../../harness/claude-code/plugin.ts'
import {
  hasHooks,
  manifestPath,
  projectSettings,
  type SettingsScope,
  settingsPath,
} from '../claude-settings.ts'
import {
  type Change,
  clearLeftovers,
  confirmChanges,
  noteForeignHooks,
  removeMade,
  reverted,
  takeBack,
} from '../install-change.ts'
import { type InstallIo, terminalIo } from '../install-io.ts'
import { readUserFile, requireWritable } from '../user-file.ts'

export type UninstallClaudeCodeOptions = SettingsScope & { yes?: boolean }

/**
 * Takes back what install added and nothing else; what the user wrote since stays. Idempotent. True when
 * something was changed.
 */
export async function uninstallClaudeCode(
  options: UninstallClaudeCodeOptions,
  io: InstallIo = terminalIo(),
): Promise<boolean> {
  const { project, local, plugin } = options
  const path = settingsPath(options, io.env)
  const paths = project !== undefined && !local ? [path, projectSettings(project, true)] : [path]
  clearLeftovers(plugin === undefined ? paths : [path, manifestPath(plugin)], io)
  const changes = paths.flatMap((file) => reverted(file, 'Claude Code', removeHooks) ?? [])
  const isGone = changes.some(({ after }) => after === undefined)
  if (plugin !== undefined && isGone) changes.push(...withoutManifest(plugin))
  if (changes.length === 0) {
    const isOwn = project === undefined && plugin === undefined
    io.print(
      `Not installed in ${isOwn ? 'your own settings, ' : ''}${paths.join(' or ')}: nothing to take back.`,
    )
    if (isOwn) io.note('Hooks in a project or a plugin: name it with --project DIR or --plugin DIR')
    removeDirectories(options, path)
    return false
  }
  for (const { file } of changes) requireWritable(file)
  await confirmChanges('Claude Code', changes, options, io)
  for (const change of changes) takeBack(change, io)
  removeDirectories(options, path)
  noteForeignHooks(changes, io)
  return true
}

function withoutManifest(plugin: string): Change[] {
  const file = readUserFile(manifestPath(plugin))
  return file.bytes && isOurManifest(file.bytes.toString()) ? [{ file, after: undefined }] : []
}

/** As long as the other file of a project has our hooks, its directory is needed. */
function removeDirectories({ project, local, plugin }: SettingsScope, path: string): void {
  if (project !== undefined && local && hasHooks(projectSettings(project, false))) return
  const others = plugin === undefined ? [] : [dirname(manifestPath(plugin))]
  removeMade(dirname(path), ...others)
}
