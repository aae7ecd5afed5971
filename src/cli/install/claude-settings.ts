import { statSync } from 'node:fs'
import { platform } from 'node:os'
import { join, resolve } from 'node:path'
import { launcherPath } from '../../config/installation.ts'
import { userHome } from '../../config/paths.ts'
import { TrailBossError } from '../../core/errors.ts'
import { HARNESS } from '../../harness/claude-code/wiring/name.ts'
import { MANIFEST } from '../../harness/claude-code/wiring/plugin.ts'
import { type PluginSkill, pluginSkills } from '../../harness/claude-code/wiring/skills.ts'
import { parseJsonText } from '../../harness/edit/json-text.ts'
import { objectOf } from '../../harness/edit/json-value.ts'
import { findOurHooks } from '../../harness/hooks/hook-search.ts'
import { emitterFor } from './install-next.ts'
import { readSettings } from './settings-file.ts'

/** Which file of Claude Code's is meant. */
export type SettingsScope = {
  /** That of a project instead of the user's own. */
  project?: string
  /** Its `settings.local.json`, which is not shared with others. */
  local?: boolean
  /** The hooks of a plugin. */
  plugin?: string
}

function configDir(env: NodeJS.ProcessEnv): string {
  return resolve(env['CLAUDE_CONFIG_DIR'] || join(userHome(env), '.claude'))
}

export function userSettings(env: NodeJS.ProcessEnv): string {
  return join(configDir(env), 'settings.json')
}

export function projectSettings(dir: string, isLocal: boolean): string {
  return join(resolve(dir), '.claude', isLocal ? 'settings.local.json' : 'settings.json')
}

function pluginHooks(dir: string): string {
  return join(resolve(dir), 'hooks', 'hooks.json')
}

export function manifestPath(plugin: string): string {
  return join(resolve(plugin), MANIFEST)
}

/** The skills of our plugin, as files in that directory. */
export function skillFiles(plugin: string, env: NodeJS.ProcessEnv): PluginSkill[] {
  const { home } = emitterFor(env)
  return pluginSkills({ program: launcherPath(), home }).map(({ path, text }) => ({
    path: join(resolve(plugin), path),
    text,
  }))
}

/** Every file of our plugin besides its hooks. */
export function pluginFiles(plugin: string, env: NodeJS.ProcessEnv): string[] {
  return [manifestPath(plugin), ...skillFiles(plugin, env).map(({ path }) => path)]
}

/** Throws `BAD_USAGE` for a combination that names no file, or a project that is not there. */
export function settingsPath(scope: SettingsScope, env: NodeJS.ProcessEnv): string {
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
  if (plugin !== undefined) return pluginHooks(plugin)
  if (project === undefined) return userSettings(env)
  if (!statSync(project, { throwIfNoEntry: false })?.isDirectory()) {
    throw new TrailBossError('BAD_USAGE', `${project} is not a directory.`, {
      hint: 'Name the directory of the project, where its .claude is or will be.',
    })
  }
  return projectSettings(project, local ?? false)
}

/** Whether the emitter runs in it already. A file that cannot be read has none. */
export function hasHooks(path: string): boolean {
  try {
    const root = parseJsonText(readSettings(path).text ?? '')
    return root !== undefined && findOurHooks(root, HARNESS).length > 0
  } catch {
    return false
  }
}

/** Settings under which hooks are not run, as sentences. A file that cannot be read says nothing. */
export function obstacles(paths: string[], managed = managedSettings()): string[] {
  const isOn = (path: string, key: string) => objectOf(parsed(path))[key] === true
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

function parsed(path: string): unknown {
  try {
    return JSON.parse((readSettings(path).text ?? '').replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}
