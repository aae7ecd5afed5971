import { dirname } from 'node:path'
import { resolvePaths } from '../../config/paths.ts'
import { HOOK_EVENTS } from '../../harness/gemini/hook-events.ts'
import { addHooks } from '../../harness/gemini/install.ts'
import { geminiSettings, obstacles, ourHooksIn, TITLE } from '../gemini-settings.ts'
import { backupPath, confirmChanges, keepWhatWas, makeDirectory } from '../install-change.ts'
import { type InstallIo, terminalIo } from '../install-io.ts'
import { emitterFor, whatNext } from '../install-next.ts'
import { inFile, readSettings } from '../settings-file.ts'
import { readUserFile, requireWritable, writeUserFile } from '../user-file.ts'

/** Idempotent. What others have in the file stays as it is, to the byte, comments and all. */
export async function installGemini(
  options: { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<void> {
  const path = geminiSettings(io.env)
  const { file, text } = readSettings(path)
  const emitter = emitterFor(io.env)
  const request = { emitter, events: HOOK_EVENTS, isComplete: true }
  const backup = readUserFile(backupPath(path)).bytes?.toString()
  const after = Buffer.from(inFile(path, TITLE, () => addHooks(text, request, backup)))
  const isInstalled = file.bytes?.equals(after) ?? false
  if (!isInstalled) {
    requireWritable(file)
    await confirmChanges(TITLE, [{ file, after }], options, io)
    makeDirectory(dirname(path))
    if (ourHooksIn(path).size === 0) keepWhatWas(file, io)
    writeUserFile(file, after)
  }
  const off = obstacles(path, io.env)
  io.print(isInstalled ? 'Already installed.' : `${file.bytes ? 'Changed' : 'Wrote'} ${path}`)
  io.print(`  ${HOOK_EVENTS.length} hooks run ${emitter.program}`)
  if (!isInstalled && off.length === 0) {
    io.print('Sessions that are running take them up when they are started again.')
  }
  for (const sentence of off) io.note(`Warning: ${sentence}`)
  await whatNext(resolvePaths(io.env), true, io)
}
