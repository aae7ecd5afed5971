import { dirname } from 'node:path'
import { resolvePaths } from '../../config/paths.ts'
import { addHooks } from '../../harness/hooks/hook-edit.ts'
import { type HookSettings, ourHooksIn } from './hook-settings.ts'
import {
  backupPath,
  clearLeftovers,
  confirmChanges,
  keepWhatWas,
  makeDirectory,
} from './install-change.ts'
import { type InstallIo, terminalIo } from './install-io.ts'
import { emitterFor, whatNext } from './install-next.ts'
import { inFile, readSettings } from './settings-file.ts'
import { readUserFile, requireWritable, writeUserFile } from './user-file.ts'

/**
 * Idempotent. What others have in the file stays as it is, to the byte, comments and all. True when
 * something was changed.
 */
export async function installHooks(
  { manner, events, obstacles, ...settings }: HookSettings,
  options: { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<boolean> {
  const { title } = manner
  const path = settings.path(io.env)
  clearLeftovers([path], io)
  const { file, text } = readSettings(path)
  const emitter = emitterFor(io.env)
  const request = { emitter, events, isComplete: true }
  const backup = readUserFile(backupPath(path)).bytes?.toString()
  const after = Buffer.from(inFile(path, title, () => addHooks(manner, text, request, backup)))
  const isInstalled = file.bytes?.equals(after) ?? false
  if (!isInstalled) {
    requireWritable(file)
    await confirmChanges(title, [{ file, after }], options, io)
    makeDirectory(dirname(path))
    if (ourHooksIn(path, manner).size === 0) keepWhatWas(file, io)
    writeUserFile(file, after)
  }
  const off = obstacles(io.env)
  io.print(isInstalled ? 'Already installed.' : `${file.bytes ? 'Changed' : 'Wrote'} ${path}`)
  io.print(`  ${events.length} hooks run ${emitter.program}`)
  if (!isInstalled && off.length === 0) {
    io.print('Sessions that are running take them up when they are started again.')
  }
  for (const sentence of off) io.note(`Warning: ${sentence}`)
  await whatNext(resolvePaths(io.env), true, io)
  return !isInstalled
}
