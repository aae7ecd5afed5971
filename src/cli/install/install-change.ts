import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { lineDiff } from '../../harness/config-edit/line-diff.ts'
import type { InstallIo } from './install-io.ts'
import {
  readUserFile,
  removeLeftovers,
  removeUserFile,
  type UserFile,
  writeUserFile,
} from './user-file.ts'

/** One of the user's files and its new content; undefined removes it. */
export type Change = {
  file: UserFile
  after: Buffer | undefined
  /** A file of our own, which the user never edited: shown only on request. */
  isGenerated?: boolean
}

/** Shows the changes first; without `--yes` somebody has to agree. */
export async function confirmChanges(
  target: string,
  changes: Change[],
  options: { yes?: boolean; diff?: boolean },
  io: InstallIo,
): Promise<void> {
  for (const { file, after, isGenerated } of changes) {
    if (!isGenerated || options.diff) io.showDiff(lineDiff(file.path, file.bytes, after))
  }
  if (options.yes) return
  if (!io.confirm) {
    throw new TrailBossError('BAD_USAGE', 'Nobody is there to agree to this change.', {
      hint: 'Nothing was changed. Add --yes to make it without asking.',
    })
  }
  if (await io.confirm('Make this change?')) return
  throw new TrailBossError('CANCELLED', `Nothing was changed for ${target}.`)
}

/** Called before our first change; if the file did not exist, there is nothing to back up. */
export function keepWhatWas(file: UserFile, io: InstallIo): void {
  if (file.bytes === undefined) {
    setAsideBackup(file, io)
    return
  }
  backUp(file, file.bytes)
  io.note(`The original is saved as ${backupPath(file.path)}`)
}

export function backupPath(path: string): string {
  return `${path}.trailboss-backup`
}

/** Writes the original content beside the file, with its mode and owner. */
export function backUp({ path, mode, owner }: UserFile, bytes: Buffer): void {
  writeUserFile({ ...readUserFile(backupPath(path)), mode, owner }, bytes)
}

/**
 * If there was no file, there is nothing to back up, and the backup of an earlier install would pass for the
 * original. It may be the last copy of somebody's settings, so we keep it under another name.
 */
function setAsideBackup({ path }: UserFile, io: InstallIo): void {
  const backup = readUserFile(backupPath(path))
  if (!backup.bytes) return
  const aside = `${backup.path}.old`
  try {
    renameSync(backup.path, aside)
  } catch (error) {
    throw new TrailBossError(
      'NOT_WRITABLE',
      `${backup.path} cannot be renamed: ${messageOf(error)}`,
      { cause: error },
    )
  }
  io.note(`The backup of an earlier install is now ${aside}`)
}

/** A backup with the same content as the file is of no use any more. */
export function removeBackup({ file, after }: Change, io: InstallIo): void {
  const backup = readUserFile(backupPath(file.path))
  if (!backup.bytes) return
  if (after?.equals(backup.bytes)) rmSync(backup.path)
  else io.note(`${backup.path} is kept: ${file.path} has changed since it was made.`)
}

/**
 * One change of an uninstall: writes what remains or removes the file, and then removes the backup if it is no
 * longer needed.
 */
export function takeBack(change: Change, io: InstallIo): void {
  const { file, after } = change
  if (after) writeUserFile(file, after)
  else removeUserFile(file)
  io.print(`${after ? 'Changed' : 'Removed'} ${file.path}`)
  removeBackup(change, io)
}

export function noteForeignHooks(changes: Change[], io: InstallIo): void {
  for (const { file, after } of changes) {
    if (!after?.includes('trailboss-emit')) continue
    io.note(`A hook in ${file.path} that does more than run trailboss-emit is yours, and stays.`)
  }
}

/** Removes what a killed install or uninstall left beside these files. */
export function clearLeftovers(paths: readonly string[], io: InstallIo): void {
  for (const path of paths.flatMap((one) => [one, backupPath(one)])) {
    for (const left of removeLeftovers(path)) {
      io.note(`Removed ${left}, which a command that was killed had left.`)
    }
  }
}

/**
 * For these directories of one parent, and their parents: removes those that install created once they are
 * empty, and keeps all others.
 */
export function removeMade(dirs: readonly string[]): void {
  for (const dir of dirs) removeIfMade(dir)
  const [first] = dirs
  if (first === undefined) return
  for (let around = dirname(first); removeIfMade(around); ) around = dirname(around)
}

/** True if install created it. */
function removeIfMade(dir: string): boolean {
  const sign = join(dir, MADE)
  if (!existsSync(sign)) return false
  rmSync(sign)
  try {
    rmdirSync(dir)
  } catch {
    // It still holds somebody else's files.
  }
  return true
}

/** An empty directory does not show who created it, so those that we create get a marker. */
export function makeDirectory(dir: string): void {
  try {
    const first = mkdirSync(resolve(dir), { recursive: true })
    if (first === undefined) return
    const { length } = resolve(first)
    for (let made = resolve(dir); made.length >= length; made = dirname(made)) {
      writeFileSync(join(made, MADE), MADE_TEXT)
    }
  } catch (error) {
    throw new TrailBossError('NOT_WRITABLE', `${dir} cannot be made: ${messageOf(error)}`)
  }
}

const MADE = '.trailboss-made'
const MADE_TEXT = `This directory was made by "trailboss install"; "trailboss uninstall" removes it again.\n`
