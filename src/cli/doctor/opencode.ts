import { existsSync } from 'node:fs'
import { emitterOfPlugin } from '../../harness/opencode/plugin.ts'
import {
  isOpencodeInUse,
  namingSettings,
  ourPluginText,
  pluginPath,
  TITLE,
} from '../install/opencode-config.ts'
import { broken, type Check, ok, type Surroundings, warning } from './check.ts'
import { readingSettings, WITHOUT_HOOKS } from './hook-check.ts'

const INSTALL = 'trailboss install opencode'

/** A look at opencode's settings, where it is in use; nothing is changed in them. */
export async function opencodeChecks({ env }: Surroundings): Promise<Check[]> {
  if (!isOpencodeInUse(env)) return []
  return readingSettings(TITLE, () => pluginCheck(env))
}

function pluginCheck(env: NodeJS.ProcessEnv): Check {
  const path = pluginPath(env)
  const text = ourPluginText(env)
  const [settings] = namingSettings(env)
  if (text === undefined && settings === undefined) {
    return warning(TITLE, `no plugin of ours: ${WITHOUT_HOOKS}`, `Add it with: ${INSTALL}`)
  }
  if (text === undefined) {
    return broken(TITLE, `${settings} names ${path}, which is not there`, `Write it: ${INSTALL}`)
  }
  if (settings === undefined) {
    return broken(TITLE, `no tui.json names ${path}, so it is not loaded`, `Name it: ${INSTALL}`)
  }
  const program = emitterOfPlugin(text)
  if (program === undefined || !existsSync(program)) {
    const detail = `${path} runs ${program ?? 'no emitter'}, which is not there`
    return broken(TITLE, detail, `Have it run this installation: ${INSTALL}`)
  }
  return ok(TITLE, `${path} runs trailboss-emit`)
}
