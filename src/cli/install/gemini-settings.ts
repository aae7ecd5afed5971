import { platform } from 'node:os'
import { join, resolve } from 'node:path'
import { userHome } from '../../config/paths.ts'
import { memberOf } from '../../harness/edit/json-text.ts'
import { HOOK_EVENTS } from '../../harness/gemini/hook-events.ts'
import { HOOK_NAME, MANNER } from '../../harness/gemini/install.ts'
import { HARNESS } from '../../harness/gemini/name.ts'
import { emitterIn } from '../../harness/hooks/emitter-command.ts'
import { type HookSettings, scalarOf, settingIn } from './hook-settings.ts'

export const GEMINI: HookSettings = {
  manner: MANNER,
  events: HOOK_EVENTS,
  path: geminiSettings,
  obstacles: (env) => [geminiSettings(env), systemSettings(env)].flatMap(obstaclesIn),
}

/** `GEMINI_CLI_HOME` stands for the home, not for the directory in it (0.61.0). */
function geminiSettings(env: NodeJS.ProcessEnv): string {
  const home = env['GEMINI_CLI_HOME'] || userHome(env)
  return join(resolve(home), '.gemini', 'settings.json')
}

function obstaclesIn(file: string): string[] {
  const config = settingIn(file, 'hooksConfig', MANNER)
  if (scalarOf(memberOf(config, 'enabled')?.value) === false) {
    return [`Gemini CLI runs no hooks: "hooksConfig.enabled" is false in ${file}`]
  }
  const disabled = memberOf(config, 'disabled')?.value
  const names = disabled?.kind === 'array' ? disabled.items.map(scalarOf) : []
  const isOurs = (name: unknown) =>
    name === HOOK_NAME || (typeof name === 'string' && emitterIn(name, HARNESS) !== undefined)
  return names.some(isOurs)
    ? [`Gemini CLI does not run our hooks: "hooksConfig.disabled" names them in ${file}`]
    : []
}

/** What an administrator sets for all users. */
function systemSettings(env: NodeJS.ProcessEnv): string {
  const usual =
    platform() === 'darwin' ? '/Library/Application Support/GeminiCli' : '/etc/gemini-cli'
  return env['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] || join(usual, 'settings.json')
}
