import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { broken, type Check, ok, warning } from './check.ts'
import type { Hooked } from './hooked-events.ts'

/** The effect of having none. */
export const WITHOUT_HOOKS =
  'its sessions are found by their screens alone, a little later and less exactly'

export type HooksFound = {
  name: string
  path: string
  hooked: ReadonlyMap<string, Hooked>
  expected: readonly string[]
  /** Settings that keep them from running, as sentences. */
  obstacles: readonly string[]
  /** The command that fixes it. */
  install: string
  without?: string
}

/** Whether every event has a complete hook that runs an existing emitter. */
export function hookCheck(found: HooksFound): Check {
  const { name, path, hooked, expected, obstacles, install, without = WITHOUT_HOOKS } = found
  if (obstacles.length > 0) {
    return warning(name, obstacles.join('; '), `Until that is changed, ${without}`)
  }
  if (hooked.size === 0) {
    const detail = existsSync(path) ? `no hook of ours in ${path}` : `${path} is not there`
    return warning(name, `${detail}: ${without}`, `Add the hooks with: ${install}`)
  }
  const hooks = [...hooked.values()]
  const gone = hooks
    .map(({ program }) => program)
    .find((program) => isAbsolute(program) && !existsSync(program))
  if (gone !== undefined) {
    const detail = `the hooks in ${path} run ${gone}, which is not there`
    return broken(name, detail, `Have them run this installation: ${install}`)
  }
  const [lacking] = hooks.flatMap((hook) => hook.lacking)
  if (lacking !== undefined) {
    const detail = `${path} has a hook of ours without "${lacking}", which ${name} needs`
    return warning(name, detail, `Add it with: ${install}`)
  }
  const missing = expected.filter((event) => !hooked.has(event))
  if (missing.length === 0) return ok(name, `${hooked.size} hooks in ${path} run trailboss-emit`)
  const detail = `${path} has no hook of ours for ${missing.join(', ')}`
  return warning(name, detail, `Add them with: ${install}`)
}
