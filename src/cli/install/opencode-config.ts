import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { userHome } from '../../config/paths.ts'
import { namesPlugin, PLUGIN_FILE } from '../../harness/opencode/install.ts'
import { isOurPlugin } from '../../harness/opencode/plugin.ts'
import { inFile, readSettings } from './settings-file.ts'
import { readUserFile } from './user-file.ts'

export const TITLE = 'opencode'

/** Where opencode looks for the settings of its screen: one more directory, if its owner has named it. */
function opencodeDirectory(env: NodeJS.ProcessEnv): string {
  if (env['OPENCODE_CONFIG_DIR']) return resolve(env['OPENCODE_CONFIG_DIR'])
  const config = env['XDG_CONFIG_HOME'] || join(userHome(env), '.config')
  return join(resolve(config), 'opencode')
}

export function pluginPath(env: NodeJS.ProcessEnv): string {
  return join(opencodeDirectory(env), PLUGIN_FILE)
}

/**
 * The file that names the plugin. opencode reads both of these and adds up their plugins, so where one
 * is free it becomes ours and the user's stays as it is; `tui.jsonc` first, because opencode moves old
 * settings into a `tui.json` only while there is none (1.18.33).
 */
export function tuiSettings(env: NodeJS.ProcessEnv): string {
  const paths = tuiPaths(env)
  return (
    paths.find(isNaming) ?? paths.find((path) => readUserFile(path).bytes === undefined) ?? paths[1]
  )
}

/** Those that name our plugin. */
export function namingSettings(env: NodeJS.ProcessEnv): string[] {
  return tuiPaths(env).filter(isNaming)
}

/** Undefined: there is none of ours. */
export function ourPluginText(env: NodeJS.ProcessEnv): string | undefined {
  const text = readUserFile(pluginPath(env)).bytes?.toString()
  return text !== undefined && isOurPlugin(text) ? text : undefined
}

/** Whether there is anything to wire: it has a directory, or could be started. */
export function isOpencodeInUse(env: NodeJS.ProcessEnv): boolean {
  if (existsSync(opencodeDirectory(env))) return true
  const dirs = (env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return dirs.some((dir) => existsSync(join(dir, 'opencode')))
}

/** Every file that can name it. */
export function tuiPaths(env: NodeJS.ProcessEnv): [string, string] {
  const dir = opencodeDirectory(env)
  return [join(dir, 'tui.jsonc'), join(dir, 'tui.json')]
}

/** One that cannot be read names nothing; whoever changes it is told why. */
function isNaming(path: string): boolean {
  const { text } = readSettings(path)
  if (text === undefined) return false
  try {
    return inFile(path, TITLE, () => namesPlugin(text))
  } catch {
    return false
  }
}
