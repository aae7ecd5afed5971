import { dirname, resolve } from 'node:path'
import { resolvePaths } from '../../config/paths.ts'
import { TrailBossError } from '../../core/errors.ts'
import { version } from '../../core/version.ts'
import { HOOK_EVENTS } from '../../harness/claude-code/wiring/hook-events.ts'
import { addHooks } from '../../harness/claude-code/wiring/install.ts'
import { type KnownEvents, knownEvents } from '../../harness/claude-code/wiring/known-events.ts'
import { isOurManifest, pluginManifest } from '../../harness/claude-code/wiring/plugin.ts'
import { isOurSkill } from '../../harness/claude-code/wiring/skills.ts'
import type { HookRequest } from '../../harness/hooks/hook-edit.ts'
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
} from './claude-settings.ts'
import {
  backupPath,
  type Change,
  clearLeftovers,
  confirmChanges,
  keepWhatWas,
  makeDirectory,
} from './install-change.ts'
import { type InstallIo, terminalIo } from './install-io.ts'
import { emitterFor, whatNext } from './install-next.ts'
import { inFile, readSettings } from './settings-file.ts'
import { readUserFile, requireWritable, writeUserFile } from './user-file.ts'

export type InstallClaudeCodeOptions = SettingsScope & {
  yes?: boolean
  /** Which claude program to ask for its hooks. */
  claude?: string
  /** Settings for one launch to stdout, and nothing is changed. */
  print?: boolean
}

/** Idempotent. What others have in the file stays as it is, to the byte. True when something was changed. */
export async function installClaudeCode(
  options: InstallClaudeCodeOptions,
  io: InstallIo = terminalIo(),
): Promise<boolean> {
  const paths = resolvePaths(io.env)
  const path = settingsPath(options, io.env)
  const isOwn = options.project === undefined && options.plugin === undefined
  if (options.print && !isOwn) {
    throw new TrailBossError('BAD_USAGE', '--print changes no file, and so takes none.', {
      hint: 'Leave out --project or --plugin, or leave out --print.',
    })
  }
  const user = userSettings(io.env)
  const known = await knownEvents(io.env, options.claude)
  io.note(aboutEvents(known))
  const request = requestFor(known, io.env)
  const off = obstacles([user, ...scopePaths(options, path)])
  if (options.print) {
    for (const sentence of off) io.note(`Warning: ${sentence}`)
    io.print(addHooks(undefined, request).trimEnd())
    return false
  }
  if (path !== user && hasHooks(user)) {
    io.note(`${user} has the hooks too: each event is then told twice, which does no harm.`)
  }
  clearLeftovers(
    [path, ...(options.plugin === undefined ? [] : pluginFiles(options.plugin, io.env))],
    io,
  )
  const changes = changesFor(path, request, options.plugin, io.env)
  if (changes.length > 0) {
    for (const { file } of changes) requireWritable(file)
    if (options.project !== undefined && !options.local) io.note(aboutSharing(path))
    await confirmChanges('Claude Code', changes, options, io)
    withWayOut(() => apply(changes, path, io))
  }
  report({ changes, request, plugin: options.plugin, off }, io)
  await whatNext(paths, isOwn, io)
  return changes.length > 0
}

type Written = Change & { after: Buffer }

function requestFor(known: KnownEvents, env: NodeJS.ProcessEnv): HookRequest {
  if (known.events.length === 0) {
    throw new TrailBossError('BAD_USAGE', `Claude Code ${known.version} has no hooks yet.`, {
      hint: 'Update it, then run this again. Nothing was changed.',
    })
  }
  return {
    emitter: emitterFor(env),
    events: known.events,
    isComplete: known.by !== 'assumed',
  }
}

function changesFor(
  path: string,
  request: HookRequest,
  plugin: string | undefined,
  env: NodeJS.ProcessEnv,
): Written[] {
  const { file, text } = readSettings(path)
  const backup = readUserFile(backupPath(path)).bytes?.toString()
  const after = Buffer.from(inFile(path, 'Claude Code', () => addHooks(text, request, backup)))
  const others = plugin === undefined ? [] : pluginChanges(plugin, env)
  return [...others, { file, after }].filter((change) => !change.file.bytes?.equals(change.after))
}

/** A plugin of the user's own keeps its manifest and only gets the hooks; so does a skill of his. */
function pluginChanges(plugin: string, env: NodeJS.ProcessEnv): Written[] {
  const file = readUserFile(manifestPath(plugin))
  if (file.bytes && !isOurManifest(file.bytes.toString())) return []
  const skills = skillFiles(plugin, env)
    .map(({ path, text }) => ({ file: readUserFile(path), after: Buffer.from(text) }))
    .filter((skill) => !skill.file.bytes || isOurSkill(skill.file.bytes.toString()))
  return [{ file, after: Buffer.from(pluginManifest(version)) }, ...skills]
}

/** What a backup holds is the file without our hooks, so a renewal makes none. */
function apply(changes: Written[], settings: string, io: InstallIo): void {
  for (const { file, after } of changes) {
    makeDirectory(dirname(file.path))
    if (file.path === settings && !hasHooks(settings)) keepWhatWas(file, io)
    writeUserFile(file, after)
  }
}

/** Whoever may not write the file can still have the hooks. */
function withWayOut(act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof TrailBossError) || error.code !== 'NOT_WRITABLE') throw error
    throw new TrailBossError('NOT_WRITABLE', error.message, {
      hint: 'For one launch: trailboss install claude-code --print > hooks.json; claude --settings hooks.json',
      cause: error,
    })
  }
}

type Outcome = {
  changes: Written[]
  request: HookRequest
  plugin: string | undefined
  off: string[]
}

/** Warnings come last: above the diff nobody would see them. */
function report({ changes, request, plugin, off }: Outcome, io: InstallIo): void {
  const { events, emitter } = request
  if (changes.length === 0) io.print('Already installed.')
  for (const { file } of changes) io.print(`${file.bytes ? 'Changed' : 'Wrote'} ${file.path}`)
  io.print(`  ${events.length} hooks run ${emitter.program}`)
  if (plugin !== undefined) {
    io.print('  It has the skills /trailboss:dispatch and /trailboss:status')
    io.print(`Start Claude Code with them: claude --plugin-dir '${resolve(plugin)}'`)
  } else if (changes.length > 0 && off.length === 0) {
    io.print('Sessions that are running take them up within seconds; none needs a restart.')
  }
  for (const sentence of off) io.note(`Warning: ${sentence}`)
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
  Left out: ${missing}. Name the program to have it asked: --claude PATH`
  }
  const how = by === 'asked' ? 'takes' : 'is known to take'
  const who = `Claude Code ${its} (${program})`
  if (missing === '') return `${who} ${how} all ${all} hooks that Trail Boss uses.`
  return `${who} ${how} ${events.length} of the ${all} hooks that Trail Boss uses.\n  Left out: ${missing}`
}
