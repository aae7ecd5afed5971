import { type FolderTrust, repositoryOf } from '../adapter/folder-trust.ts'
import { hasPath } from '../config-edit/toml-text.ts'
import type { Site } from '../wiring/wiring.ts'
import { codexFiles, pairsOf } from './wiring/settings.ts'

/**
 * As Codex (0.166.0) has it in `config.toml`: `[projects."/dir"] trust_level = "trusted"`, for the folder itself
 * or for the repository that it is in. The folders around it do not count.
 */
export function trust(folder: string, site: Pick<Site, 'env' | 'home' | 'read'>): FolderTrust {
  let text: string
  let pairs: ReturnType<typeof pairsOf>
  try {
    text = site.read(codexFiles(site).config) ?? ''
    pairs = pairsOf(text)
  } catch {
    return 'unknown'
  }
  const levelOf = (path: string) => {
    const pair = pairs.find((one) => hasPath(one.path, ['projects', path, 'trust_level']))
    return pair && text.slice(pair.value.start + 1, pair.value.end - 1)
  }
  const repository = repositoryOf(folder)
  const level = levelOf(folder) ?? (repository && levelOf(repository))
  if (level === undefined) return 'undecided'
  return level === 'trusted' ? 'trusted' : 'distrusted'
}
