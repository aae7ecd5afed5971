import { statSync } from 'node:fs'
import { platform } from 'node:os'
import { join, resolve } from 'node:path'
import { TrailBossError } from '../../../core/errors.ts'
import { objectOf } from '../../config-edit/json-value.ts'
import { hookedEvents } from '../../wiring/hooked-events.ts'
import type { Site } from '../../wiring/wiring.ts'
import { FORMAT } from './install.ts'
import { MANIFEST } from './plugin.ts'
import { type PluginSkill, pluginSkills } from './skills.ts'

/** Selects one of Claude Code's files. */
export type SettingsScope = {
  /** A project's instead of the user's own. */
  project?: string
  /** Its `settings.local.json`, which is not shared with others. */
  local?: boolean
  /** The hooks of a plugin. */
  plugin?: string
}

export function userSettings({ env, home }: Pick<Site, 'env' | 'home'>): string {
  return join(resolve(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude')), 'settings.json')
}

export function projectSettings(dir: string, isLocal: boolean): string {
  return join(resolve(dir), '.claude', isLocal ? 'settings.local.json' : 'settings.json')
}

export function manifestPath(plugin: string): string {
  return join(resolve(plugin), MANIFEST)
}

/** The skills of our plugin, as files in that directory. */
export function skillFiles(plugin: string, { launcher, emitter }: Site): PluginSkill[] {
  return pluginSkills({ program: launcher, home: emitter.home }).map(({ path, text }) => ({
    path: join(resolve(plugin), path),
    text,
  }))
}

/** Every file of our plugin besides its hooks. */
export function pluginFiles(plugin: string | undefined, site: Site): string[] {
  if (plugin === undefined) return []
  return [manifestPath(plugin), ...skillFiles(plugin, site).map(({ path }) => path)]
}

/** Throws `BAD_USAGE` for a combination that names no file, or a project that does not exist. */
export function settingsPath(scope: SettingsScope, site: Pick<Site, 'env' | 'home'>): string {
  const { project, local, plugin } = scope
  if (project !== undefined && plugin !== undefined) {
    throw new TrailBossError('BAD_USAGE', '--project and --plugin name two different places.', {
      hint: 'Give one of them.',
    })
  }
  if (local && project === undefined) {
    throw new TrailBossError('BAD_USAGE', '--local is a file of a project.', {
      hint: 'Name the project, too: --project DIR',
    })
  }
  if (plugin !== undefined) return join(resolve(plugin), 'hooks', 'hooks.json')
  if (project === undefined) return userSettings(site)
  if (!statSync(project, { throwIfNoEntry: false })?.isDirectory()) {
    throw new TrailBossError('BAD_USAGE', `${project} is not a directory.`, {
      hint: 'Name the directory of the project, where its .claude is or will be.',
    })
  }
  return projectSettings(project, local ?? false)
}

/** Whether the emitter is already wired in it. An unreadable file has none. */
export function hasHooks(path: string, site: Site): boolean {
  try {
    return hookedEvents(site, path, FORMAT).size > 0
  } catch {
    return false
  }
}

/** Settings that keep hooks from running, as sentences. An unreadable file yields none. */
export function obstacles(paths: string[], site: Site, managed = managedSettings()): string[] {
  const isOn = (path: string, key: string) => objectOf(parsed(path, site))[key] === true
  const off = [...new Set([managed, ...paths])].filter((path) => isOn(path, 'disableAllHooks'))
  const owned = isOn(managed, 'allowManagedHooksOnly')
  return [
    ...off.map((path) => `Claude Code runs no hooks: "disableAllHooks" is true in ${path}`),
    ...(owned
      ? [`Claude Code runs no hooks of yours: "allowManagedHooksOnly" is true in ${managed}`]
      : []),
  ]
}

/** What an administrator sets for all users. */
function managedSettings(): string {
  const dir =
    platform() === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code'
  return join(dir, 'managed-settings.json')
}

function parsed(path: string, site: Site): unknown {
  try {
    return JSON.parse((site.read(path) ?? '').replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}
