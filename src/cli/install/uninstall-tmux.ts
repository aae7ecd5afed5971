import { resolve } from 'node:path'
import { loadConfig } from '../../config/config.ts'
import { resolvePaths } from '../../config/paths.ts'
import { removeBlock } from '../../tmux/conf/conf-file.ts'
import { unbindLive } from '../../tmux/conf/live-keys.ts'
import { tmuxSocketFor } from '../../tmux/socket.ts'
import { type Change, clearLeftovers, confirmChanges, removeBackup } from './install-change.ts'
import { type InstallIo, terminalIo } from './install-io.ts'
import { userConfs } from './tmux-conf-choice.ts'
import { readUserFile, removeUserFile, writeUserFile } from './user-file.ts'

export type UninstallTmuxOptions = { yes?: boolean; conf?: string; diff?: boolean }

/** Removes what install added and nothing else; later changes by the user stay. Idempotent. True if something changed. */
export async function uninstallTmux(
  options: UninstallTmuxOptions,
  io: InstallIo = terminalIo(),
): Promise<boolean> {
  const paths = resolvePaths(io.env)
  const socket = tmuxSocketFor(loadConfig(paths.configFile, io.env).tmuxSocket, io.env)
  const confs = options.conf === undefined ? userConfs(io.env) : [resolve(options.conf)]
  clearLeftovers([...confs, paths.tmuxConf], io)
  const keysFile = readUserFile(paths.tmuxConf)
  const changes: Change[] = [
    ...confs.flatMap(withoutBlock),
    ...(keysFile.bytes ? [{ file: keysFile, after: undefined, isGenerated: true }] : []),
  ]
  if (changes.length > 0) {
    if (keysFile.bytes) io.note(`This removes our keys file (--diff shows it):\n${keysFile.path}`)
    await confirmChanges('tmux', changes, options, io)
  }
  for (const { file, after } of changes) {
    if (after) writeUserFile(file, after)
    else removeUserFile(file)
    io.print(`${after ? 'Changed' : 'Removed'} ${file.path}`)
    removeBackup({ file, after }, io)
  }
  const freed = await unbindLive(socket)
  if (freed.length > 0) io.print(`Unbound in the running tmux server: prefix ${freed.join(', ')}`)
  if (changes.length === 0 && freed.length === 0) io.print('Not installed: nothing to take back.')
  return changes.length > 0 || freed.length > 0
}

function withoutBlock(path: string): Change[] {
  const file = readUserFile(path)
  const removal = file.bytes && removeBlock(file.bytes)
  return removal ? [{ file, after: removal.empty ? undefined : removal.bytes }] : []
}
