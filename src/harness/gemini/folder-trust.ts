import { realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type FolderTrust, foldersAround } from '../adapter/folder-trust.ts'
import { memberOf, parseJsonText } from '../config-edit/json-text.ts'
import { scalarOf } from '../wiring/hook-wiring.ts'
import type { Site } from '../wiring/wiring.ts'
import { geminiDirectory } from './wiring.ts'

/**
 * As Gemini CLI (0.61.0) has it in `trustedFolders.json`: the rule for the nearest folder around counts. Where
 * there is none, it asks, unless trust is switched off; whether that is the default differs between versions.
 */
export function trust(folder: string, site: Pick<Site, 'env' | 'home' | 'read'>): FolderTrust {
  try {
    return ruleFor(folder, site) ?? withoutRule(site)
  } catch {
    return 'unknown'
  }
}

function ruleFor(
  folder: string,
  { env, home, read }: Pick<Site, 'env' | 'home' | 'read'>,
): FolderTrust | undefined {
  const file =
    env['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] ||
    join(geminiDirectory({ env, home }), 'trustedFolders.json')
  const root = parseJsonText(read(file) ?? '', { hasComments: true })
  const rules = root?.kind === 'object' ? root.members : []
  const levels = new Map<string, unknown>()
  for (const { key, value } of rules) {
    const level = scalarOf(value)
    levels.set(realOrSame(level === 'TRUST_PARENT' ? dirname(key) : key), level)
  }
  const nearest = foldersAround(folder).find((around) => levels.has(around))
  if (nearest === undefined) return undefined
  return levels.get(nearest) === 'DO_NOT_TRUST' ? 'distrusted' : 'trusted'
}

function withoutRule({ env, home, read }: Pick<Site, 'env' | 'home' | 'read'>): FolderTrust {
  const file = join(geminiDirectory({ env, home }), 'settings.json')
  const settings = parseJsonText(read(file) ?? '', { hasComments: true })
  const security = memberOf(settings, 'security')?.value
  const isEnabled = scalarOf(memberOf(memberOf(security, 'folderTrust')?.value, 'enabled')?.value)
  if (isEnabled === true) return 'undecided'
  return isEnabled === false ? 'trusted' : 'unknown'
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
