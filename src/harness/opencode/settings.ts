import { join, resolve } from 'node:path'
import { inFile } from '../wiring/settings.ts'
import type { Site } from '../wiring/wiring.ts'
import { namesPlugin, PLUGIN_FILE } from './install.ts'
import { isOurPlugin } from './plugin.ts'

export const TITLE = 'opencode'

/** Where opencode looks for the settings of its screen: an additional directory, if its owner has named one. */
export function settingsDirectory({ env, home }: Site): string {
  if (env['OPENCODE_CONFIG_DIR']) return resolve(env['OPENCODE_CONFIG_DIR'])
  return join(resolve(env['XDG_CONFIG_HOME'] || join(home, '.config')), 'opencode')
}

export function pluginPath(site: Site): string {
  return join(settingsDirectory(site), PLUGIN_FILE)
}

/** Every file that can name our plugin. */
export function tuiPaths(site: Site): [string, string] {
  const dir = settingsDirectory(site)
  return [join(dir, 'tui.jsonc'), join(dir, 'tui.json')]
}

/**
 * The file that names the plugin. opencode reads both of these and combines their plugins, so if one does not
 * exist it becomes ours and the user's stays as it is; `tui.jsonc` first, because opencode moves old settings
 * into a `tui.json` only while there is none (1.18.33).
 */
export function tuiSettings(site: Site): string {
  const paths = tuiPaths(site)
  const [naming] = namingSettings(site)
  return naming ?? paths.find((path) => site.peek(path) === undefined) ?? paths[1]
}

/** The files that name our plugin. */
export function namingSettings(site: Site): string[] {
  return tuiPaths(site).filter((path) => isNaming(path, site))
}

/** Undefined: there is none of ours. */
export function ourPluginText(site: Site): string | undefined {
  const text = site.peek(pluginPath(site))
  return text !== undefined && isOurPlugin(text) ? text : undefined
}

/** An unreadable file names nothing; changing it reports why. */
function isNaming(path: string, site: Site): boolean {
  const text = site.read(path)
  if (text === undefined) return false
  try {
    return inFile(path, TITLE, () => namesPlugin(text))
  } catch {
    return false
  }
}
