import { existsSync } from 'node:fs'
import { TrailBossError } from '../../core/errors.ts'
import { broken, type Check, ok, warning } from '../wiring/check.ts'
import { WITHOUT_HOOKS } from '../wiring/hook-check.ts'
import { inFile, isFound, reverted } from '../wiring/settings.ts'
import type { Site, Wiring } from '../wiring/wiring.ts'
import { addPlugin, removePlugin } from './install.ts'
import { HARNESS } from './name.ts'
import { emitterOfPlugin, isOurPlugin, pluginText } from './plugin.ts'
import {
  namingSettings,
  ourPluginText,
  pluginPath,
  settingsDirectory,
  TITLE,
  tuiPaths,
  tuiSettings,
} from './settings.ts'

/** The plugin is our own file; the line that names it leaves the rest of its file alone. */
export const wiring: Wiring = {
  isInUse: (site) => isFound(settingsDirectory(site), HARNESS, site),
  install: {
    summary: "add our plugin to opencode's settings",
    plan(site) {
      requireOurPlugin(site)
      const settings = tuiSettings(site)
      const text = site.read(settings)
      const named = inFile(settings, TITLE, () => addPlugin(text))
      return {
        files: [pluginPath(site), ...tuiPaths(site)],
        // The plugin before the line that names it, so that no start finds only the line.
        writes: [
          { path: pluginPath(site), after: pluginText(site.emitter), keepsBefore: false },
          { path: settings, after: named, keepsBefore: true },
        ],
        done: [`  the plugin runs ${site.emitter.program}`],
        effect: 'Sessions that are running take it up when they are started again.',
        obstacles: [],
      }
    },
  },
  uninstall: {
    summary: "remove our plugin from opencode's settings",
    plan(site) {
      const plugin = pluginPath(site)
      const directory = settingsDirectory(site)
      const isThere = ourPluginText(site) !== undefined
      return {
        files: [plugin, ...tuiPaths(site)],
        // The line before the plugin that it names.
        changes: [
          ...namingSettings(site).flatMap((path) => reverted(site, path, TITLE, removePlugin)),
          ...(isThere ? [{ path: plugin, after: undefined }] : []),
        ],
        place: directory,
        made: [directory],
      }
    },
  },
  check: pluginCheck,
  runsHooks: (site) => pluginCheck(site).status === 'ok',
}

const INSTALL = `trailboss install ${HARNESS}`

function pluginCheck(site: Site): Check {
  const path = pluginPath(site)
  const text = ourPluginText(site)
  const [settings] = namingSettings(site)
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

function requireOurPlugin(site: Site): void {
  const text = site.peek(pluginPath(site))
  if (text === undefined || isOurPlugin(text)) return
  const message = `${pluginPath(site)} is not a plugin that Trail Boss wrote.`
  throw new TrailBossError('BAD_USAGE', message, {
    hint: 'Nothing was changed. Give it another name, then run this again.',
  })
}
