import { dirname, resolve } from 'node:path'
import { TrailBossError } from '../../../core/errors.ts'
import { version } from '../../../core/version.ts'
import type { HookRequest } from '../../hook-install/hook-edit.ts'
import { hookCheck } from '../../wiring/hook-check.ts'
import { hooksRun } from '../../wiring/hook-wiring.ts'
import { hookedEvents } from '../../wiring/hooked-events.ts'
import { inFile, reverted } from '../../wiring/settings.ts'
import type {
  InstallPlan,
  Printed,
  Removal,
  Site,
  UninstallPlan,
  Wiring,
  Write,
} from '../../wiring/wiring.ts'
import { HOOK_EVENTS } from './hook-events.ts'
import { addHooks, FORMAT, removeHooks } from './install.ts'
import { type KnownEvents, knownEvents } from './known-events.ts'
import { isOurManifest, pluginManifest } from './plugin.ts'
import {
  hasHooks,
  manifestPath,
  obstacles,
  pluginFiles,
  projectSettings,
  type SettingsScope,
  settingsPath,
  skillFiles,
  userSettings,
} from './settings.ts'
import { isOurSkill } from './skills.ts'

export const wiring: Wiring = {
  isInUse: () => true,
  install: {
    summary: "add the hooks to Claude Code's settings",
    flags: [
      { flag: '--project <dir>', help: "to that project's settings.json instead of your own" },
      { flag: '--local', help: 'with --project: to its settings.local.json' },
      { flag: '--plugin <dir>', help: 'as a plugin in this directory, for claude --plugin-dir' },
      {
        flag: '--print',
        help: 'print them for one launch, claude --settings FILE; changes nothing',
      },
      {
        flag: '--claude <program>',
        help: 'the claude to ask which hooks it knows (default: in PATH)',
      },
    ],
    plan: installPlan,
  },
  uninstall: {
    summary: "remove the hooks from Claude Code's settings",
    flags: [
      { flag: '--project <dir>', help: "from that project's instead of your own" },
      { flag: '--local', help: 'with --project: only from its settings.local.json' },
      { flag: '--plugin <dir>', help: 'from the plugin in this directory' },
    ],
    plan: uninstallPlan,
  },
  /** The project in the working directory counts as well. */
  async check(site) {
    const user = userSettings(site)
    const all = [user, projectSettings('.', false), projectSettings('.', true)]
    const hooksIn = (file: string) => hookedEvents(site, file, FORMAT)
    const path = all.find((file) => hooksIn(file).size > 0) ?? user
    const off = obstacles(all, site)
    const { events } = off.length > 0 ? { events: [] } : await knownEvents(site.env)
    const found = { path, hooked: hooksIn(path), expected: events, obstacles: off }
    return hookCheck({ name: title, ...found, install: INSTALL, without: WITHOUT })
  },
  runsHooks(site, { cwd, args }) {
    const all = [userSettings(site), projectSettings(cwd, false), projectSettings(cwd, true)]
    if (obstacles(all, site).length > 0) return false
    // Settings and plugins named there may have them; we do not look inside.
    return args.some((arg) => ELSEWHERE.test(arg)) || all.some((file) => hasHooks(file, site))
  },
}

const ELSEWHERE = /^--(?:settings|plugin-dir)(?:=|$)/

const { title, harness } = FORMAT
const INSTALL = `trailboss install ${harness}`
const WITHOUT =
  'sessions are found all the same, but what they and their subagents ask is known less exactly and a little later'

type InstallOptions = SettingsScope & {
  /** Which claude program to ask about its hooks. */
  claude?: string
  /** Prints settings for one launch to stdout and changes nothing. */
  print?: boolean
}

async function installPlan(site: Site, options: InstallOptions): Promise<InstallPlan | Printed> {
  const { project, local, plugin } = options
  const path = settingsPath(options, site)
  const isOwn = project === undefined && plugin === undefined
  if (options.print && !isOwn) {
    throw new TrailBossError('BAD_USAGE', '--print changes no file, and so takes none.', {
      hint: 'Leave out --project or --plugin, or leave out --print.',
    })
  }
  const known = await knownEvents(site.env, options.claude)
  site.note(aboutEvents(known))
  const request = requestFor(known, site)
  const user = userSettings(site)
  const off = obstacles([user, ...scopePaths(options, path)], site)
  if (options.print) return { print: addHooks(undefined, request).trimEnd(), obstacles: off }
  if (path !== user && hasHooks(user, site)) {
    site.note(`${user} has the hooks too: each event is then reported twice, which does no harm.`)
  }
  const text = site.read(path)
  const after = inFile(path, title, () => addHooks(text, request, site.before(path)))
  const own = plugin === undefined ? [] : pluginWrites(plugin, site)
  return {
    files: [path, ...pluginFiles(plugin, site)],
    writes: [...own, { path, after, keepsBefore: !hasHooks(path, site) }],
    warning: project !== undefined && !local ? aboutSharing(path) : undefined,
    wayOut: `For one launch: ${INSTALL} --print > hooks.json; claude --settings hooks.json`,
    done: [hooksRun(known.events, site), ...(plugin === undefined ? [] : aboutPlugin(plugin))],
    effect:
      plugin === undefined
        ? 'Running sessions pick them up within seconds; none needs a restart.'
        : undefined,
    obstacles: off,
    isElsewhere: !isOwn,
  }
}

function requestFor({ events, by, version: its }: KnownEvents, { emitter }: Site): HookRequest {
  if (events.length === 0) {
    throw new TrailBossError('BAD_USAGE', `Claude Code ${its} has no hooks yet.`, {
      hint: 'Update it, then run this again. Nothing was changed.',
    })
  }
  return { emitter, events, isComplete: by !== 'assumed' }
}

/** A plugin of the user's own keeps its manifest and only gets the hooks; a skill of theirs stays, too. */
function pluginWrites(plugin: string, site: Site): Write[] {
  const path = manifestPath(plugin)
  const manifest = site.peek(path)
  if (manifest !== undefined && !isOurManifest(manifest)) return []
  const skills = skillFiles(plugin, site).filter((skill) => {
    const text = site.peek(skill.path)
    return text === undefined || isOurSkill(text)
  })
  const own = [{ path, text: pluginManifest(version) }, ...skills]
  return own.map(({ path: file, text }) => ({ path: file, after: text, keepsBefore: false }))
}

function aboutPlugin(plugin: string): string[] {
  return [
    '  It has the skills /trailboss:dispatch and /trailboss:status',
    `Start Claude Code with them: claude --plugin-dir '${resolve(plugin)}'`,
  ]
}

function uninstallPlan(site: Site, scope: SettingsScope): UninstallPlan {
  const { project, local, plugin } = scope
  const path = settingsPath(scope, site)
  const paths = project !== undefined && !local ? [path, projectSettings(project, true)] : [path]
  const changes = paths.flatMap((file) => reverted(site, file, title, removeHooks))
  const isGone = changes.some(({ after }) => after === undefined)
  if (plugin !== undefined) changes.push(...ownFilesOf(plugin, isGone, site))
  const isOwn = project === undefined && plugin === undefined
  return {
    files: [...paths, ...pluginFiles(plugin, site)],
    changes,
    place: `${isOwn ? 'your own settings, ' : ''}${paths.join(' or ')}`,
    elsewhere: isOwn
      ? 'Hooks in a project or a plugin: name it with --project DIR or --plugin DIR'
      : undefined,
    made: madeFor(scope, path, site),
  }
}

/** The manifest goes with the hooks; the skills are ours in any case. */
function ownFilesOf(plugin: string, isGone: boolean, site: Site): Removal[] {
  const manifest = manifestPath(plugin)
  const skills = skillFiles(plugin, site).filter(({ path }) => isOurSkill(site.peek(path) ?? ''))
  return [
    ...(isGone && isOurManifest(site.peek(manifest) ?? '') ? [manifest] : []),
    ...skills.map(({ path }) => path),
  ].map((path) => ({ path, after: undefined }))
}

/** The directory stays as long as the project's other file has our hooks. */
function madeFor({ project, local, plugin }: SettingsScope, path: string, site: Site): string[] {
  if (project !== undefined && local && hasHooks(projectSettings(project, false), site)) return []
  const others = pluginFiles(plugin, site).map((file) => dirname(file))
  const around = new Set(others.slice(1).map((skill) => dirname(skill)))
  return [dirname(path), ...others, ...around]
}

/** Every file that can turn off the hooks of this one. */
function scopePaths({ project }: SettingsScope, path: string): string[] {
  if (project === undefined) return [path]
  return [projectSettings(project, false), projectSettings(project, true)]
}

function aboutSharing(path: string): string {
  return `${path} is usually shared with others, and the hooks name a path of this machine.\n  To keep them to yourself: --local`
}

function aboutEvents({ events, by, program, version: its }: KnownEvents): string {
  const all = HOOK_EVENTS.length
  const missing = HOOK_EVENTS.filter((event) => !events.includes(event)).join(', ')
  if (by === 'assumed') {
    const why = program ? `${program} does not tell its version` : 'No claude was found in PATH'
    return `${why}, so only hooks that every recent version knows are used, ${events.length} of ${all}.
  Left out: ${missing}. To have your program asked: trailboss install claude-code --claude PATH`
  }
  const how = by === 'asked' ? 'takes' : 'is known to take'
  const who = `Claude Code ${its} (${program})`
  if (missing === '') return `${who} ${how} all ${all} hooks that Trail Boss uses.`
  return `${who} ${how} ${events.length} of the ${all} hooks that Trail Boss uses.\n  Left out: ${missing}`
}
