import { platform } from 'node:os'
import { join, resolve } from 'node:path'
import { memberOf } from '../config-edit/json-text.ts'
import { emitterIn } from '../hook-install/emitter-command.ts'
import { hookWiring, scalarOf, settingIn } from '../wiring/hook-wiring.ts'
import type { Site, Wiring } from '../wiring/wiring.ts'
import { HOOK_EVENTS } from './hook-events.ts'
import { FORMAT, HOOK_NAME } from './install.ts'
import { HARNESS } from './name.ts'

export const wiring: Wiring = hookWiring({
  manner: FORMAT,
  events: HOOK_EVENTS,
  path: userSettings,
  obstacles: (site) =>
    [userSettings(site), systemSettings(site)].flatMap((file) => obstaclesIn(file, site)),
})

/** `GEMINI_CLI_HOME` replaces the home, not the directory in it (0.61.0). */
export function geminiDirectory({ env, home }: Pick<Site, 'env' | 'home'>): string {
  return join(resolve(env['GEMINI_CLI_HOME'] || home), '.gemini')
}

function userSettings(site: Site): string {
  return join(geminiDirectory(site), 'settings.json')
}

function obstaclesIn(file: string, site: Site): string[] {
  const config = settingIn(site, file, 'hooksConfig', FORMAT)
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
function systemSettings({ env }: Site): string {
  const usual =
    platform() === 'darwin' ? '/Library/Application Support/GeminiCli' : '/etc/gemini-cli'
  return env['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] || join(usual, 'settings.json')
}
