import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseConfig } from '../../config/config.ts'
import type { WorkspaceConfig } from '../../config/workspaces.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { managedHarnesses } from '../../harness/registry.ts'
import { clearLeftovers, confirmChanges, keepWhatWas } from '../install/install-change.ts'
import type { InstallIo } from '../install/install-io.ts'
import { readSettings } from '../install/settings-file.ts'
import { requireWritable, type UserFile, writeUserFile } from '../install/user-file.ts'
import { withWorkspace } from './config-text.ts'
import type { StartingWorkspace } from './starting-workspace.ts'

/** The current config.json. */
export type ConfigFile = {
  file: UserFile
  text: string | undefined
  workspaces: Readonly<Record<string, WorkspaceConfig>>
}

/** Throws `BAD_CONFIG` if the file cannot be used: nothing is added to such a file. */
export function readConfigFile(path: string, env: NodeJS.ProcessEnv): ConfigFile {
  const { file, text } = readSettings(path)
  // An empty file counts as not written yet.
  const { workspaces } = parseConfig(path, text?.trim() === '' ? undefined : text, env)
  return { file, text, workspaces }
}

/** Shows the change, asks, keeps a backup, and writes. Returns the workspace as it will be read. */
export async function writeWorkspace(
  { file, text }: ConfigFile,
  workspace: StartingWorkspace,
  options: { yes?: boolean },
  io: InstallIo,
): Promise<WorkspaceConfig> {
  const after = withWorkspace(text, workspace, managedHarnesses())
  const added = parseConfig(file.path, after, io.env).workspaces[workspace.name]
  if (!added) throw new Error(`${workspace.name} would not be in ${file.path}`)
  clearLeftovers([file.path], io)
  requireWritable(file)
  const bytes = Buffer.from(after)
  await confirmChanges(`workspace ${workspace.name}`, [{ file, after: bytes }], options, io)
  makePrivate(dirname(file.target))
  keepWhatWas(file, io)
  writeUserFile(file, bytes)
  io.print(`${file.bytes ? 'Changed' : 'Wrote'} ${file.path}`)
  return added
}

/** It may be the home, which must be private. */
function makePrivate(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new TrailBossError('NOT_WRITABLE', `${directory} cannot be made: ${messageOf(error)}`)
  }
}
