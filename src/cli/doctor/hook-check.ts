import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { broken, type Check, ok, warning } from './check.ts'

/** What is wrong when there are none. */
export const WITHOUT_HOOKS =
  'its sessions are found by their screens alone, a little later and less exactly'

export type HooksFound = {
  name: string
  path: string
  /** The emitter that each event runs. */
  hooked: Map<string, string>
  expected: readonly string[]
  /** The command that mends it. */
  install: string
  without: string
}

/** Whether every event runs an emitter that is there. */
export function hookCheck({ name, path, hooked, expected, install, without }: HooksFound): Check {
  if (hooked.size === 0) {
    const detail = existsSync(path) ? `no hook of ours in ${path}` : `${path} is not there`
    return warning(name, `${detail}: ${without}`, `Add the hooks with: ${install}`)
  }
  const gone = [...hooked.values()].find((program) => isAbsolute(program) && !existsSync(program))
  if (gone !== undefined) {
    const detail = `the hooks in ${path} run ${gone}, which is not there`
    return broken(name, detail, `Have them run this installation: ${install}`)
  }
  const missing = expected.filter((event) => !hooked.has(event))
  if (missing.length === 0) return ok(name, `${hooked.size} hooks in ${path} run trailboss-emit`)
  const detail = `${path} has no hook of ours for ${missing.join(', ')}`
  return warning(name, detail, `Add them with: ${install}`)
}

/** Settings that cannot be read are broken, and the reason says how to mend them. */
export async function readingSettings(
  name: string,
  look: () => Check | Promise<Check>,
): Promise<Check[]> {
  try {
    return [await look()]
  } catch (error) {
    const hint = error instanceof TrailBossError ? error.hint : undefined
    return [broken(name, messageOf(error), hint ?? 'Correct it by hand.')]
  }
}
