import { join, resolve } from 'node:path'
import { type FolderTrust, foldersAround } from '../adapter/folder-trust.ts'
import { objectOf } from '../config-edit/json-value.ts'
import type { Site } from '../wiring/wiring.ts'

/** As Claude Code (2.1.325) has it in `.claude.json`: the folders below one that it trusts are trusted, too. */
export function trust(folder: string, { env, home, read }: Pick<Site, 'env' | 'home' | 'read'>) {
  const directory = env['CLAUDE_CONFIG_DIR']
  return trustIn(folder, () => read(join(directory ? resolve(directory) : home, '.claude.json')))
}

function trustIn(folder: string, read: () => string | undefined): FolderTrust {
  let projects: ReturnType<typeof objectOf>
  try {
    projects = objectOf(objectOf(JSON.parse(read() ?? '{}'))['projects'])
  } catch {
    return 'unknown'
  }
  const isTrusted = (path: string) =>
    Object.hasOwn(projects, path) && objectOf(projects[path])['hasTrustDialogAccepted'] === true
  return foldersAround(folder).some(isTrusted) ? 'trusted' : 'undecided'
}
