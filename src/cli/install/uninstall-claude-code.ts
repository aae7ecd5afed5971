import { dirname } from 'node:path'
import { removeHooks } from '../../harness/claude-code/wiring/install.ts'
import { isOurManifest } from '../../harness/claude-code/wiring/plugin.ts'
import { isOurSkill } from '../../harness/claude-code/wiring/skills.ts'
import {
  hasHooks,
  manifestPath,
  pluginFiles,
  projectSettings,
  type SettingsScope,
  settingsPath,
  skillFiles,
} from './claude-settings.ts'
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
import { readUserFile, requireWritable } from './user-file.ts'

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
  clearLeftovers(plugin === undefined ? paths : [path, ...pluginFiles(plugin, io.env)], io)
  const changes = paths.flatMap((file) => reverted(file, 'Claude Code', removeHooks) ?? [])
  const isGone = changes.some(({ after }) => after === undefined)
  if (plugin !== undefined && isGone) changes.push(...withoutManifest(plugin))
  if (plugin !== undefined) changes.push(...withoutSkills(plugin, io.env))
  if (changes.length === 0) {
    const isOwn = project === undefined && plugin === undefined
    io.print(
      `Not installed in ${isOwn ? 'your own settings, ' : ''}${paths.join(' or ')}: nothing to take back.`,
    )
    if (isOwn) io.note('Hooks in a project or a plugin: name it with --project DIR or --plugin DIR')
    removeDirectories(options, path, io.env)
    return false
  }
  for (const { file } of changes) requireWritable(file)
  await confirmChanges('Claude Code', changes, options, io)
  for (const change of changes) takeBack(change, io)
  removeDirectories(options, path, io.env)
  noteForeignHooks(changes, io)
  return true
}

function withoutManifest(plugin: string): Change[] {
  const file = readUserFile(manifestPath(plugin))
  return file.bytes && isOurManifest(file.bytes.toString()) ? [{ file, after: undefined }] : []
}

function withoutSkills(plugin: string, env: NodeJS.ProcessEnv): Change[] {
  return skillFiles(plugin, env)
    .map(({ path }) => readUserFile(path))
    .filter(({ bytes }) => bytes && isOurSkill(bytes.toString()))
    .map((file) => ({ file, after: undefined }))
}

/** As long as the other file of a project has our hooks, its directory is needed. */
function removeDirectories(
  { project, local, plugin }: SettingsScope,
  path: string,
  env: NodeJS.ProcessEnv,
): void {
  if (project !== undefined && local && hasHooks(projectSettings(project, false))) return
  const others = plugin === undefined ? [] : pluginFiles(plugin, env).map((file) => dirname(file))
  const around = new Set(others.slice(1).map((skill) => dirname(skill)))
  removeMade(dirname(path), ...others, ...around)
}
