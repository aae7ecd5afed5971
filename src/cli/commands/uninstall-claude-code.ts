import { basename, dirname, join, resolve } from 'node:path'
import { removeHooks } from '../../harness/claude-code/install.ts'
import { isOurManifest, MANIFEST } from '../../harness/claude-code/plugin.ts'
import { projectSettings, type SettingsScope, settingsPath } from '../claude-settings.ts'
import {
  type Change,
  confirmChanges,
  noteForeignHooks,
  removeIfEmpty,
  reverted,
  takeBack,
} from '../install-change.ts'
import { type InstallIo, terminalIo } from '../install-io.ts'
import { readUserFile, requireWritable } from '../user-file.ts'

export type UninstallClaudeCodeOptions = SettingsScope & { yes?: boolean }

/** Takes back what install added and nothing else; what the user wrote since stays. Idempotent. */
export async function uninstallClaudeCode(
  options: UninstallClaudeCodeOptions,
  io: InstallIo = terminalIo(),
): Promise<void> {
  const { project, local, plugin } = options
  const path = settingsPath(options, io.env)
  const paths = project !== undefined && !local ? [path, projectSettings(project, true)] : [path]
  const changes = paths.flatMap((file) => reverted(file, 'Claude Code', removeHooks) ?? [])
  const isGone = changes.some(({ after }) => after === undefined)
  if (plugin !== undefined && isGone) changes.push(...withoutManifest(plugin))
  if (changes.length === 0) {
    const isOwn = project === undefined && plugin === undefined
    io.print(
      `Not installed in ${isOwn ? 'your own settings, ' : ''}${paths.join(' or ')}: nothing to take back.`,
    )
    if (isOwn) io.note('Hooks in a project or a plugin: name it with --project DIR or --plugin DIR')
    return
  }
  for (const { file } of changes) requireWritable(file)
  await confirmChanges('Claude Code', changes, options, io)
  for (const change of changes) apply(change, io)
  noteForeignHooks(changes, io)
  if (plugin !== undefined) removeIfEmpty(resolve(plugin))
}

function withoutManifest(plugin: string): Change[] {
  const file = readUserFile(join(resolve(plugin), MANIFEST))
  return file.bytes && isOurManifest(file.bytes.toString()) ? [{ file, after: undefined }] : []
}

function apply(change: Change, io: InstallIo): void {
  takeBack(change, io)
  const dir = dirname(change.file.path)
  if (!change.after && OUR_DIRECTORIES.includes(basename(dir))) removeIfEmpty(dir)
}

/** Those that install makes for its file; one that is empty is of no use to anybody. */
const OUR_DIRECTORIES = ['.claude', '.claude-plugin', 'hooks']
