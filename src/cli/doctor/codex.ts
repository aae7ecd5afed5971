import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { HOOK_EVENTS } from '../../harness/codex/hook-events.ts'
import {
  type CodexFiles,
  codexFiles,
  countUntrusted,
  hasSharedDaemon,
  isCodexInUse,
  obstacles,
  ourHooksIn,
  TITLE,
} from '../codex-settings.ts'
import { broken, type Check, ok, type Surroundings, warning } from './check.ts'

const INSTALL = 'trailboss install codex'
const WITHOUT = 'its sessions are found by their screens alone, a little later and less exactly'

/** A look at Codex's settings, where it is in use; nothing is changed in them. */
export async function codexChecks({ env }: Surroundings): Promise<Check[]> {
  if (!isCodexInUse(env)) return []
  const files = codexFiles(env)
  try {
    const hooked = ourHooksIn(files)
    const off = hooked.size === 0 ? [] : obstacles(files)
    if (off.length > 0) {
      return [warning(TITLE, off.join('; '), `Until that is changed, ${WITHOUT}`)]
    }
    return [hookCheck(files, hooked)]
  } catch (error) {
    const hint = error instanceof TrailBossError ? error.hint : undefined
    return [broken(TITLE, messageOf(error), hint ?? 'Correct it by hand.')]
  }
}

function hookCheck(files: CodexFiles, hooked: Map<string, string>): Check {
  const path = files.hooks
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
  if (missing.length > 0) {
    const detail = `${path} has no hook of ours for ${missing.join(', ')}`
    return warning(TITLE, detail, `Add them with: ${INSTALL}`)
  }
  const unknown = countUntrusted(files)
  if (unknown > 0) {
    const detail = `${unknown} of our hooks in ${path} are not trusted in ${files.config}, so Codex does not run them`
    return broken(TITLE, detail, `Mend it with: ${INSTALL}`)
  }
  if (!hasSharedDaemon(files))
    return ok(TITLE, `${hooked.size} hooks in ${path} run trailboss-emit`)
  const detail = `${hooked.size} hooks in ${path} run trailboss-emit, but Codex's shared daemon runs them, which cannot tell their panes`
  return warning(TITLE, detail, `Switch it off with: ${INSTALL} --no-shared-daemon`)
}
