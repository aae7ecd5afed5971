import { platform } from 'node:os'
import { join, resolve } from 'node:path'
import { userHome } from '../../config/paths.ts'
import { HOOK_EVENTS } from '../../harness/qwen/hook-events.ts'
import { MANNER } from '../../harness/qwen/install.ts'
import { type HookSettings, scalarOf, settingIn } from './hook-settings.ts'

export const QWEN: HookSettings = {
  manner: MANNER,
  events: HOOK_EVENTS,
  path: qwenSettings,
  obstacles: (env) => [qwenSettings(env), systemSettings(env)].flatMap(obstaclesIn),
}

/** `QWEN_HOME` stands for the directory itself (0.24.4). */
function qwenSettings(env: NodeJS.ProcessEnv): string {
  const dir = env['QWEN_HOME'] || join(userHome(env), '.qwen')
  return join(resolve(dir), 'settings.json')
}

function obstaclesIn(file: string): string[] {
  return scalarOf(settingIn(file, 'disableAllHooks', MANNER)) === true
    ? [`Qwen Code runs no hooks: "disableAllHooks" is true in ${file}`]
    : []
}

/** What an administrator sets for all users. */
function systemSettings(env: NodeJS.ProcessEnv): string {
  const usual = platform() === 'darwin' ? '/Library/Application Support/QwenCode' : '/etc/qwen-code'
  return env['QWEN_CODE_SYSTEM_SETTINGS_PATH'] || join(usual, 'settings.json')
}
