import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Config, loadConfig } from '../../config/config.ts'
import { type Paths, resolvePaths } from '../../config/paths.ts'
import { TrailBossError } from '../../core/errors.ts'
import { displayLine, truncate } from '../../core/text.ts'
import { readBindings } from '../../tmux/bindings.ts'
import { addBlock, hasBlock } from '../../tmux/conf-file.ts'
import { type Conflict, type KeyPlan, planKeys } from '../../tmux/key-conflicts.ts'
import { checkKeys, type KeyAction, type Keys, renderConf } from '../../tmux/keys.ts'
import { bindLive, defaultBindings, liveBindings } from '../../tmux/live-keys.ts'
import { tmuxSocketFor } from '../../tmux/socket.ts'
import { requireTmux } from '../../tmux/version.ts'
import { backUp, type Change, clearLeftovers, confirmChanges } from '../install-change.ts'
import { type InstallIo, terminalIo } from '../install-io.ts'
import { chooseConf, confTexts } from '../tmux-conf-choice.ts'
import { readUserFile, type UserFile, writeUserFile } from '../user-file.ts'

export type InstallTmuxOptions = {
  yes?: boolean
  /** Undefined keeps what is there, and asks where somebody can answer. */
  status?: boolean
  keyNext?: string
  keyPopup?: string
  keySkip?: string
  conf?: string
  /** The keys file to stdout, and nothing is changed. */
  print?: boolean
}

type Written = Change & { after: Buffer }

/**
 * Idempotent. Throws `KEY_CONFLICT` when not one key is free; some that are taken are left out. True when
 * something was changed.
 */
export async function installTmux(
  options: InstallTmuxOptions,
  io: InstallIo = terminalIo(),
): Promise<boolean> {
  await requireTmux()
  const paths = resolvePaths(io.env)
  const config = loadConfig(paths.configFile, io.env)
  const socket = tmuxSocketFor(config.tmuxSocket, io.env)
  const { path: confPath, because } = chooseConf(io.env, options.conf)
  const { keys, conflicts, replaced } = await planFor({
    options,
    config,
    io,
    confPath,
    paths,
    socket,
  })
  for (const conflict of conflicts) io.note(conflictNote(conflict))
  for (const { key, command } of replaced) {
    io.note(`prefix ${key} takes the place of tmux's own: ${commandText(command)}`)
  }
  if (Object.keys(keys).length === 0) throw noKeyLeft(conflicts)

  const keysFile = readUserFile(paths.tmuxConf)
  const status = await wantsStatus(options, config, keysFile, io)
  const text = renderConf({ launcher: io.launcher, keys, status, env: keyEnvironment(io.env) })
  if (options.print) {
    io.print(text.trimEnd())
    return false
  }

  clearLeftovers([paths.tmuxConf, confPath], io)
  const conf = readUserFile(confPath)
  const changes = [
    { file: keysFile, after: Buffer.from(text) },
    { file: conf, after: addBlock(conf.bytes, paths.tmuxConf) },
  ].filter(({ file, after }) => !file.bytes?.equals(after))
  if (because) io.note(`${confPath} is taken: ${because}.`)
  if (changes.length > 0) {
    await confirmChanges('tmux', changes, options, io)
    apply(changes, paths)
  }
  report(changes, keys, io)
  await wireServer({ socket, paths, keys, status }, io)
  return changes.length > 0
}

type PlanRequest = {
  options: InstallTmuxOptions
  config: Config
  io: InstallIo
  confPath: string
  paths: Paths
  socket: string
}

async function planFor(request: PlanRequest): Promise<KeyPlan> {
  const { options, config, io, confPath, paths, socket } = request
  const wanted: Required<Keys> = {
    next: options.keyNext ?? config.keys.next,
    popup: options.keyPopup ?? config.keys.popup,
    skip: options.keySkip ?? config.keys.skip,
  }
  checkKeys(wanted)
  const live = await liveBindings(socket)
  if (!live.ok && live.kind !== 'no-server') {
    io.note(`The tmux server at ${socket} does not answer, so its keys could not be looked at.`)
  }
  return planKeys(wanted, {
    files: readBindings(confTexts(io.env, confPath, paths.tmuxConf)).bindings,
    live: live.ok ? live.bindings : new Map(),
    defaults: await defaultBindings(),
  })
}

async function wantsStatus(
  options: InstallTmuxOptions,
  config: Config,
  keysFile: UserFile,
  io: InstallIo,
): Promise<boolean> {
  if (options.status !== undefined) return options.status
  if (config.statusSegment) return true
  if (keysFile.bytes) return keysFile.bytes.includes('status-right')
  if (options.yes || options.print || !io.confirm) return false
  return io.confirm('Show in the status line how many are stuck?')
}

/** tmux runs commands with the environment of its server, which need not be that of this shell. */
function keyEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const moved = env['TRAILBOSS_HOME'] ? ['TRAILBOSS_HOME'] : ['XDG_STATE_HOME', 'XDG_CONFIG_HOME']
  const directories = moved.flatMap((name) => (env[name] ? [[name, resolve(env[name])]] : []))
  const port = env['TRAILBOSS_PORT'] ? [['TRAILBOSS_PORT', env['TRAILBOSS_PORT']]] : []
  return Object.fromEntries([...directories, ...port])
}

/** The keys file first: a tmux.conf that cannot be written can then be wired by hand. */
function apply(changes: Written[], paths: Paths): void {
  mkdirSync(dirname(paths.tmuxConf), { recursive: true, mode: 0o700 })
  for (const { file, after } of changes) {
    if (file.path === paths.tmuxConf) {
      writeUserFile(file, after)
      continue
    }
    try {
      if (file.bytes && !hasBlock(file.bytes)) backUp(file, file.bytes)
      writeUserFile(file, after)
    } catch (error) {
      if (!(error instanceof TrailBossError) || error.code !== 'NOT_WRITABLE') throw error
      const line = addBlock(undefined, paths.tmuxConf).toString().split('\n')[1]
      throw new TrailBossError('NOT_WRITABLE', error.message, {
        hint: `Add this line to your tmux configuration yourself: ${line}`,
        cause: error,
      })
    }
  }
}

function report(changes: Written[], keys: Keys, io: InstallIo): void {
  if (changes.length === 0) io.print('Already installed.')
  for (const { file } of changes) io.print(`${file.bytes ? 'Changed' : 'Wrote'} ${file.path}`)
  for (const [action, key] of Object.entries(keys)) {
    io.print(`  prefix ${key}  ${MEANING[action as KeyAction]}`)
  }
}

async function wireServer(
  wiring: { socket: string; paths: Paths; keys: Keys; status: boolean },
  io: InstallIo,
): Promise<void> {
  const { socket, paths, keys, status } = wiring
  const bound = Object.values(keys).filter((key) => key !== undefined)
  if ((await liveBindings(socket)).ok) {
    const result = await bindLive(socket, paths.tmuxConf, { keys: bound, status })
    if (result.ok) {
      io.print(`The keys work now in the tmux server at ${socket}`)
      return
    }
    io.note(`The tmux server at ${socket} did not take them: ${displayLine(result.stderr)}`)
  }
  io.note(`In a tmux that is running: tmux source-file '${paths.tmuxConf}'`)
}

const MEANING: Record<KeyAction, string> = {
  next: 'go to the oldest stuck session',
  popup: 'pick from the queue',
  skip: 'skip this one and go to the next',
}

function conflictNote({ action, key, command, where }: Conflict): string {
  return `prefix ${key} is left alone, ${where} binds it: ${commandText(command)}\n  Choose another: --key-${action} KEY, or "keys": {"${action}": KEY} in config.json`
}

function noKeyLeft(conflicts: Conflict[]): TrailBossError {
  const keys = conflicts.map(({ key }) => key).join(', ')
  return new TrailBossError('KEY_CONFLICT', `Every key is taken: ${keys}. Nothing was changed.`, {
    hint: 'Choose others with --key-next, --key-popup and --key-skip.',
  })
}

function commandText(command: string[]): string {
  return truncate(displayLine(command.join(' ')), 80)
}
