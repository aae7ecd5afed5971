import { rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { removeHooks } from '../../harness/gemini/install.ts'
import { geminiSettings, TITLE } from '../gemini-settings.ts'
import { backupPath, type Change, confirmChanges, removeBackup } from '../install-change.ts'
import { type InstallIo, terminalIo } from '../install-io.ts'
import { inFile, readSettings } from '../settings-file.ts'
import { readUserFile, removeUserFile, requireWritable, writeUserFile } from '../user-file.ts'

/** Takes back what install added and nothing else; what the user wrote since stays. Idempotent. */
export async function uninstallGemini(
  options: { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<void> {
  const path = geminiSettings(io.env)
  const change = withoutHooks(path)
  if (!change) {
    io.print(`Not installed in ${path}: nothing to take back.`)
    return
  }
  requireWritable(change.file)
  await confirmChanges(TITLE, [change], options, io)
  apply(change, io)
  if (change.after?.includes('trailboss-emit')) {
    io.note(`A hook in ${path} that does more than run trailboss-emit is yours, and stays.`)
  }
}

function withoutHooks(path: string): Change | undefined {
  const { file, text } = readSettings(path)
  if (text === undefined) return undefined
  const before = readUserFile(backupPath(path)).bytes?.toString()
  const after = inFile(path, TITLE, () => removeHooks(text, before))
  if (after === text) return undefined
  return { file, after: after === undefined ? after : Buffer.from(after) }
}

function apply(change: Change, io: InstallIo): void {
  const { file, after } = change
  if (after) writeUserFile(file, after)
  else removeUserFile(file)
  io.print(`${after ? 'Changed' : 'Removed'} ${file.path}`)
  removeBackup(change, io)
  if (!after) removeIfEmpty(dirname(file.path))
}

/** Made for the file alone. */
function removeIfEmpty(dir: string): void {
  try {
    rmdirSync(dir)
  } catch {
    // Somebody else has something in it.
  }
}
