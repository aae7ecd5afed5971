import { emitterPath, launcherPath } from '../../config/installation.ts'
import { resolvePaths, userHome } from '../../config/paths.ts'
import type { Emitter } from '../../harness/hook-install/emitter-command.ts'
import type { Site } from '../../harness/wiring/wiring.ts'
import { backupPath } from './install-change.ts'
import type { InstallIo } from './install-io.ts'
import { readSettings } from './settings-file.ts'
import { readUserFile, type UserFile } from './user-file.ts'

/** Lets a wiring read the user's files, and keeps each of them as it was last read. */
export function createSite({ env, note, confirm }: Pick<InstallIo, 'env' | 'note' | 'confirm'>): {
  site: Site
  fileOf(path: string): UserFile
} {
  const files = new Map<string, UserFile>()
  const noted = (file: UserFile) => {
    files.set(file.path, file)
    return file
  }
  const site: Site = {
    env,
    home: userHome(env),
    emitter: emitterFor(env),
    launcher: launcherPath(),
    read(path) {
      const { file, text } = readSettings(path)
      noted(file)
      return text
    },
    peek: (path) => noted(readUserFile(path)).bytes?.toString(),
    before: (path) => readUserFile(backupPath(path)).bytes?.toString(),
    note,
    ...(confirm && { confirm }),
  }
  return { site, fileOf: (path) => files.get(path) ?? readUserFile(path) }
}

/** An agent whose environment does not name the home would look in the default place. */
function emitterFor(env: NodeJS.ProcessEnv): Emitter {
  const { home } = resolvePaths(env)
  const usual = resolvePaths({ HOME: env['HOME'] }).home
  return { program: emitterPath(), ...(home !== usual && { home }) }
}
