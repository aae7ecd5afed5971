import { objectOf } from '../../edit/json-value.ts'

/** Where a plugin says what it is, in its directory; its hooks are in `hooks/hooks.json`. */
export const MANIFEST = '.claude-plugin/plugin.json'

const NAME = 'trailboss'

export function pluginManifest(version: string): string {
  const description =
    'Tells Trail Boss when a session waits for you, and gives tasks to other agents.'
  return `${JSON.stringify({ name: NAME, version, description }, null, 2)}\n`
}

/** Whether the plugin was made by us, or is one of the user's that only has our hooks in it. */
export function isOurManifest(text: string): boolean {
  try {
    return objectOf(JSON.parse(text))['name'] === NAME
  } catch {
    return false
  }
}
