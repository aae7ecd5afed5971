import { objectOf } from '../../config-edit/json-value.ts'

/** The plugin's manifest, in its directory; its hooks are in `hooks/hooks.json`. */
export const MANIFEST = '.claude-plugin/plugin.json'

const NAME = 'trailboss'

export function pluginManifest(version: string): string {
  const description =
    'Tells Trail Boss when a session waits for you, and gives tasks to other agents.'
  return `${JSON.stringify({ name: NAME, version, description }, null, 2)}\n`
}

/** Whether we created the plugin, or it is the user's own and only contains our hooks. */
export function isOurManifest(text: string): boolean {
  try {
    return objectOf(JSON.parse(text))['name'] === NAME
  } catch {
    return false
  }
}
