import { platform } from 'node:os'
import { join, resolve } from 'node:path'
import { hookWiring, scalarOf, settingIn } from '../wiring/hook-wiring.ts'
import type { Site, Wiring } from '../wiring/wiring.ts'
import { HOOK_EVENTS } from './hook-events.ts'
import { FORMAT } from './install.ts'

export const wiring: Wiring = hookWiring({
  manner: FORMAT,
  events: HOOK_EVENTS,
  path: userSettings,
  obstacles: (site) =>
    [userSettings(site), systemSettings(site)]
      .filter((file) => scalarOf(settingIn(site, file, 'disableAllHooks', FORMAT)) === true)
      .map((file) => `Qwen Code runs no hooks: "disableAllHooks" is true in ${file}`),
})

/** `QWEN_HOME` replaces the directory itself (0.24.4). */
function userSettings({ env, home }: Site): string {
  return join(resolve(env['QWEN_HOME'] || join(home, '.qwen')), 'settings.json')
}

/** What an administrator sets for all users. */
function systemSettings({ env }: Site): string {
  const usual = platform() === 'darwin' ? '/Library/Application Support/QwenCode' : '/etc/qwen-code'
  return env['QWEN_CODE_SYSTEM_SETTINGS_PATH'] || join(usual, 'settings.json')
}
