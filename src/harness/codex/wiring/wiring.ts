import { broken, type Check, warning } from '../../wiring/check.ts'
import { hookCheck } from '../../wiring/hook-check.ts'
import { hooksRun, TAKEN_UP_AT_START } from '../../wiring/hook-wiring.ts'
import { hookedEvents } from '../../wiring/hooked-events.ts'
import { inFile, isFound, reverted } from '../../wiring/settings.ts'
import type { InstallPlan, Site, Wiring } from '../../wiring/wiring.ts'
import { daemonSetting } from './daemon-setting.ts'
import { HOOK_EVENTS } from './hook-events.ts'
import { addHooks, changeConfig, FORMAT, removeHooks, restoreConfig } from './install.ts'
import { HARNESS } from './name.ts'
import { type CodexFiles, codexFiles, everyTrust, obstacles, ourTrust } from './settings.ts'
import { hasTrust, untrusted } from './trust.ts'

/** The hooks go into `hooks.json`, their trust entries into `config.toml`. */
export const wiring: Wiring = {
  isInUse: (site) => isFound(codexFiles(site).home, HARNESS, site),
  install: {
    summary: 'add the hooks to Codex and mark them trusted',
    flags: [
      { flag: '--shared-daemon', help: "turn Codex's shared daemon back on" },
      {
        flag: '--no-shared-daemon',
        help: "turn Codex's shared daemon off: each session runs in its pane",
      },
    ],
    plan: installPlan,
  },
  uninstall: {
    summary: 'remove the hooks and the trust in them from Codex',
    plan(site) {
      const files = codexFiles(site)
      const trusted = everyTrust(files, site)
      return {
        files: [files.hooks, files.config],
        // The hooks first: the trust is useless without them, and hooks without trust would cause a question.
        changes: [
          ...reverted(site, files.hooks, title, removeHooks),
          ...reverted(site, files.config, title, (text, before) =>
            restoreConfig(text, trusted, before),
          ),
        ],
        place: files.home,
        made: [files.home],
      }
    },
  },
  check(site) {
    const files = codexFiles(site)
    const path = files.hooks
    const hooked = hookedEvents(site, path, FORMAT)
    const off = hooked.size === 0 ? [] : obstacles(files, site)
    const found = { path, hooked, expected: HOOK_EVENTS, obstacles: off, install: INSTALL }
    const check = hookCheck({ name: title, ...found })
    return check.status === 'ok' ? (whatKeepsThem(files, site) ?? check) : check
  },
  runsHooks(site) {
    const files = codexFiles(site)
    const isHooked = hookedEvents(site, files.hooks, FORMAT).size > 0
    return isHooked && obstacles(files, site).length === 0 && untrustedHooks(files, site) === 0
  },
}

const INSTALL = `trailboss install ${HARNESS}`
const { title } = FORMAT

type CodexOptions = {
  yes?: boolean
  /** False switches Codex's daemon off, true restores it; undefined asks, and changes nothing by default. */
  sharedDaemon?: boolean
}

async function installPlan(site: Site, options: CodexOptions): Promise<InstallPlan> {
  const files = codexFiles(site)
  const sharedDaemon = options.sharedDaemon ?? (await askAboutDaemon(files, options, site))
  const request = { emitter: site.emitter, events: HOOK_EVENTS, isComplete: true }
  const hooksText = site.read(files.hooks)
  const hooks = inFile(files.hooks, title, () =>
    addHooks(hooksText, request, site.before(files.hooks)),
  )
  const former = everyTrust(files, site)
  const configText = site.read(files.config)
  const wanted = { trusted: ourTrust(files, hooks), former, sharedDaemon }
  const config = inFile(files.config, title, () =>
    changeConfig(configText, wanted, site.before(files.config)),
  )
  const isOursInConfig =
    hasTrust(configText ?? '', former) || daemonSetting(configText ?? '') === 'off by us'
  const isOursInHooks = hookedEvents(site, files.hooks, FORMAT).size > 0
  return {
    files: [files.hooks, files.config],
    // The trust first: a Codex that starts in between would ask about unknown hooks.
    writes: [
      { path: files.config, after: config, keepsBefore: !isOursInConfig },
      { path: files.hooks, after: hooks, keepsBefore: !isOursInHooks },
    ],
    notes: daemonSetting(config) === 'on' ? [ABOUT_DAEMON, SWITCH_OFF] : [],
    done: [hooksRun(HOOK_EVENTS, site)],
    effect: TAKEN_UP_AT_START,
    obstacles: obstacles(files, site),
  }
}

const ABOUT_DAEMON = `Codex runs the sessions of all its terminals in one shared daemon. Then a session goes on when its pane
  is closed, its hooks do not tell its pane, and where several look alike no key can take you to it.`
const SWITCH_OFF = `  To have each session run in its own pane: ${INSTALL} --no-shared-daemon`

/** Only a person who is present can decide; without an answer nothing changes. */
async function askAboutDaemon(
  { config }: CodexFiles,
  { yes }: CodexOptions,
  site: Site,
): Promise<false | undefined> {
  if (!hasSharedDaemon(config, site) || yes || !site.confirm) return undefined
  site.note(ABOUT_DAEMON)
  return (await site.confirm('Switch the shared daemon off?')) ? false : undefined
}

function hasSharedDaemon(config: string, site: Site): boolean {
  const text = site.read(config) ?? ''
  return inFile(config, title, () => daemonSetting(text)) === 'on'
}

/** Even complete hooks may not run, or not know their pane. */
function whatKeepsThem(files: CodexFiles, site: Site): Check | undefined {
  const { hooks, config } = files
  const unknown = untrustedHooks(files, site)
  if (unknown > 0) {
    const detail = `${unknown} of our hooks in ${hooks} are not trusted in ${config}, so Codex does not run them`
    return broken(title, detail, `Fix it with: ${INSTALL}`)
  }
  if (!hasSharedDaemon(config, site)) return undefined
  const detail = `the hooks in ${hooks} run trailboss-emit, but Codex's shared daemon runs them, which cannot tell their panes`
  return warning(title, detail, `Switch it off with: ${INSTALL} --no-shared-daemon`)
}

function untrustedHooks(files: CodexFiles, site: Site): number {
  const { hooks, config } = files
  const text = site.read(config) ?? ''
  const trusted = ourTrust(files, site.read(hooks))
  return inFile(config, title, () => untrusted(text, trusted)).length
}
