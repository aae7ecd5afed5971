import { type HookSettings, isInUse, ourHooksIn } from '../install/hook-settings.ts'
import { type CheckGroup, warning } from './check.ts'
import { hookCheck, readingSettings, WITHOUT_HOOKS } from './hook-check.ts'

/** A look at the settings of such a harness, where it is in use; nothing is changed in them. */
export function hookSettingsChecks(settings: HookSettings): CheckGroup {
  const { manner, events, obstacles } = settings
  const { harness, title } = manner
  return async ({ env }) => {
    if (!isInUse(settings, env)) return []
    const path = settings.path(env)
    return readingSettings(title, () => {
      const hooked = ourHooksIn(path, manner)
      const off = hooked.size === 0 ? [] : obstacles(env)
      if (off.length > 0) {
        return warning(title, off.join('; '), `Until that is changed, ${WITHOUT_HOOKS}`)
      }
      const install = `trailboss install ${harness}`
      const found = { path, hooked, expected: events, install, without: WITHOUT_HOOKS }
      return hookCheck({ name: title, ...found })
    })
  }
}
