import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { HOOK_EVENTS } from '../../harness/gemini/hook-events.ts'
import { geminiSettings, isGeminiInUse, obstacles, ourHooksIn, TITLE } from '../gemini-settings.ts'
import { broken, type Check, ok, type Surroundings, warning } from './check.ts'

const INSTALL = 'trailboss install gemini'
const WITHOUT = 'its sessions are found by their screens alone, a little later and less exactly'

/** A look at Gemini CLI's settings, where it is in use; nothing is changed in them. */
export async function geminiChecks({ env }: Surroundings): Promise<Check[]> {
  if (!isGeminiInUse(env)) return []
  const path = geminiSettings(env)
  try {
    const hooked = ourHooksIn(path)
    const off = hooked.size === 0 ? [] : obstacles(path, env)
    if (off.length > 0) {
      return [warning(TITLE, off.join('; '), `Until that is changed, ${WITHOUT}`)]
    }
    return [hookCheck(path, hooked)]
  } catch (error) {
    const hint = error instanceof TrailBossError ? error.hint : undefined
    return [broken(TITLE, messageOf(error), hint ?? 'Correct it by hand.')]
  }
}

function hookCheck(path: string, hooked: Map<string, string>): Check {
  if (hooked.size === 0) {
    const detail = existsSync(path) ? `no hook of ours in ${path}` : `${path} is not there`
    return warning(TITLE, `${detail}: ${WITHOUT}`, `Add the hooks with: ${INSTALL}`)
  }
  const gone = [...hooked.values()].find((program) => isAbsolute(program) && !existsSync(program))
  if (gone !== undefined) {
    const detail = `the hooks in ${path} run ${gone}, which is not there`
    return broken(TITLE, detail, `Have them run this installation: ${INSTALL}`)
  }
  const missing = HOOK_EVENTS.filter((event) => !hooked.has(event))
  if (missing.length === 0) return ok(TITLE, `${hooked.size} hooks in ${path} run trailboss-emit`)
  const detail = `${path} has no hook of ours for ${missing.join(', ')}`
  return warning(TITLE, detail, `Add them with: ${INSTALL}`)
}
