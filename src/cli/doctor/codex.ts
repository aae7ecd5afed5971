import { HOOK_EVENTS } from '../../harness/codex/wiring/hook-events.ts'
import {
  type CodexFiles,
  codexFiles,
  countUntrusted,
  hasSharedDaemon,
  isCodexInUse,
  obstacles,
  ourHooksIn,
  TITLE,
} from '../install/codex-settings.ts'
import { broken, type Check, type Surroundings, warning } from './check.ts'
import { hookCheck, readingSettings, WITHOUT_HOOKS } from './hook-check.ts'

const INSTALL = 'trailboss install codex'

/** A look at Codex's settings, where it is in use; nothing is changed in them. */
export async function codexChecks({ env }: Surroundings): Promise<Check[]> {
  if (!isCodexInUse(env)) return []
  const files = codexFiles(env)
  return readingSettings(TITLE, () => {
    const hooked = ourHooksIn(files)
    const off = hooked.size === 0 ? [] : obstacles(files)
    if (off.length > 0) {
      return warning(TITLE, off.join('; '), `Until that is changed, ${WITHOUT_HOOKS}`)
    }
    const found = { path: files.hooks, hooked, expected: HOOK_EVENTS, without: WITHOUT_HOOKS }
    const check = hookCheck({ name: TITLE, install: INSTALL, ...found })
    return check.status === 'ok' ? (whatKeepsThem(files) ?? check) : check
  })
}

/** Hooks that are all there may still not run, or not know where. */
function whatKeepsThem(files: CodexFiles): Check | undefined {
  const unknown = countUntrusted(files)
  if (unknown > 0) {
    const detail = `${unknown} of our hooks in ${files.hooks} are not trusted in ${files.config}, so Codex does not run them`
    return broken(TITLE, detail, `Mend it with: ${INSTALL}`)
  }
  if (!hasSharedDaemon(files)) return undefined
  const detail = `the hooks in ${files.hooks} run trailboss-emit, but Codex's shared daemon runs them, which cannot tell their panes`
  return warning(TITLE, detail, `Switch it off with: ${INSTALL} --no-shared-daemon`)
}
