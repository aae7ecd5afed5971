import { dirname } from 'node:path'
import { removeHooks } from '../../harness/gemini/install.ts'
import { geminiSettings, TITLE } from '../gemini-settings.ts'
import {
  backupPath,
  type Change,
  confirmChanges,
  removeIfEmpty,
  takeBack,
} from '../install-change.ts'
import { type InstallIo, terminalIo } from '../install-io.ts'
import { inFile, readSettings } from '../settings-file.ts'
import { readUserFile, requireWritable } from '../user-file.ts'

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
  takeBack(change, io)
  if (!change.after) removeIfEmpty(dirname(path))
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
