import { HOOK_EVENTS } from '../../harness/gemini/hook-events.ts'
import { geminiSettings, isGeminiInUse, obstacles, ourHooksIn, TITLE } from '../gemini-settings.ts'
import { type Check, type Surroundings, warning } from './check.ts'
import { hookCheck, readingSettings, WITHOUT_HOOKS } from './hook-check.ts'

/** A look at Gemini CLI's settings, where it is in use; nothing is changed in them. */
export async function geminiChecks({ env }: Surroundings): Promise<Check[]> {
  if (!isGeminiInUse(env)) return []
  const path = geminiSettings(env)
  return readingSettings(TITLE, () => {
    const hooked = ourHooksIn(path)
    const off = hooked.size === 0 ? [] : obstacles(path, env)
    if (off.length > 0) {
      return warning(TITLE, off.join('; '), `Until that is changed, ${WITHOUT_HOOKS}`)
    }
    const install = 'trailboss install gemini'
    const found = { path, hooked, expected: HOOK_EVENTS, install, without: WITHOUT_HOOKS }
    return hookCheck({ name: TITLE, ...found })
  })
}
