import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * Whether its user trusts a harness in a folder.
 * - `undecided`   nobody has said so far: it asks when it starts there.
 * - `distrusted`  its user said no: it does not ask, and does less there.
 * - `unknown`     its files do not tell, or cannot be read.
 */
export type FolderTrust = 'trusted' | 'undecided' | 'distrusted' | 'unknown'

/** The folder itself and all folders around it, the nearest first. */
export function foldersAround(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersAround(parent)]
}

/** The git repository that this folder is in; of a worktree its main one. Undefined where there is none. */
export function repositoryOf(folder: string): string | undefined {
  for (const around of foldersAround(folder)) {
    const git = join(around, '.git')
    const stat = statSync(git, { throwIfNoEntry: false })
    if (stat?.isDirectory()) return around
    if (stat?.isFile()) return mainRepository(around, git) ?? around
  }
  return undefined
}

/** `gitdir: <repository>/.git/worktrees/<name>` is what a worktree has for its `.git`. */
function mainRepository(worktree: string, git: string): string | undefined {
  try {
    const [, directory = ''] = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8')) ?? []
    const [, repository] = /^(.+)\/\.git\/worktrees\/[^/]+$/.exec(directory) ?? []
    return repository === undefined ? undefined : resolve(worktree, repository)
  } catch {
    return undefined
  }
}
