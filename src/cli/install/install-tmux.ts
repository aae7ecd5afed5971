import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Config, loadConfig } from '../../config/config.ts'
import { type Paths, resolvePaths, userHome } from '../../config/paths.ts'
import { TrailBossError } from '../../core/errors.ts'
import { displayLine } from '../../core/text.ts'
import { addBlock, hasBlock } from '../../tmux/conf/conf-file.ts'
import type { KeyPlan } from '../../tmux/conf/key-conflicts.ts'
import { type KeyAction, type Keys, renderConf } from '../../tmux/conf/keys.ts'
import { type KeysFileChoice, readKeysFile } from '../../tmux/conf/keys-file.ts'
import { bindLive, liveBindings } from '../../tmux/conf/live-keys.ts'
import { tmuxSocketFor } from '../../tmux/socket.ts'
import { requireTmux } from '../../tmux/version.ts'
import { backUp, type Change, clearLeftovers, confirmChanges } from './install-change.ts'
import { type InstallIo, terminalIo } from './install-io.ts'
import { isDaemonUp } from './install-next.ts'
import { chooseConf, confTexts } from './tmux-conf-choice.ts'
import { ACTIONS, chooseKeys, keyNotes, shortKeyNote } from './tmux-key-choice.ts'
import { readUserFile, writeUserFile } from './user-file.ts'

/** Undefined keeps the choice of an earlier install. */
export type InstallTmuxOptions = {
  yes?: boolean
  status?: boolean
  start?: boolean
  keyNext?: string
  keyPopup?: string
  keySkip?: string
  keyBack?: string
  keyDismiss?: string
  keyDrain?: string
  conf?: string
  /** Also shows the keys file. */
  diff?: boolean
  /** Prints the keys file to stdout and changes nothing. */
  print?: boolean
}

type Written = Change & { after: Buffer }

/**
 * Idempotent. Throws `KEY_CONFLICT` if no key can be bound; skips single keys that are taken. True if something
 * changed.
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
  const keysFile = readUserFile(paths.tmuxConf)
  const earlier = keysFile.bytes && readKeysFile(keysFile.bytes.toString())
  const given: Keys = {
    next: options.keyNext,
    popup: options.keyPopup,
    skip: options.keySkip,
    back: options.keyBack,
    dismiss: options.keyDismiss,
    drain: options.keyDrain,
  }
  const confText = confTexts(io.env, confPath, paths.tmuxConf)
  const request = { given, config, earlier: earlier?.keys ?? {}, confText, socket }
  const plan = await chooseKeys(request, io)
  for (const text of keyNotes(plan)) io.note(text)
  const { keys, conflicts } = plan
  if (Object.keys(keys).length === 0) throw noKeyLeft(plan)

  const status = await wantsStatus(options, config, earlier, io)
  const start = options.start ?? earlier?.start ?? true
  const env = keyEnvironment(io.env)
  const text = renderConf({ launcher: io.launcher, keys, status, start, env })
  if (options.print) {
    io.printFile(text.trimEnd())
    for (const conflict of conflicts) io.print(`# ${shortKeyNote(conflict, keys)}`)
    return false
  }

  clearLeftovers([paths.tmuxConf, confPath], io)
  const conf = readUserFile(confPath)
  const changes = [
    { file: keysFile, after: Buffer.from(text), isGenerated: true },
    { file: conf, after: addBlock(conf.bytes, paths.tmuxConf) },
  ].filter(({ file, after }) => !file.bytes?.equals(after))
  if (because) io.note(`${confPath} is taken: ${because}.`)
  if (changes.length > 0) {
    summarize(changes, { keys, status, start }, io)
    await confirmChanges('tmux', changes, options, io)
    apply(changes, paths)
  }
  report(changes, keys, io)
  await wireServer({ socket, paths, keys, status }, io)
  if (!(await isDaemonUp(paths))) io.note('Next, start the daemon: trailboss up')
  return changes.length > 0
}

/** The summary, above the diff and the question. */
function summarize(changes: Written[], choice: KeysFileChoice, io: InstallIo): void {
  const home = `${userHome(io.env)}/`
  const short = (path: string) => (path.startsWith(home) ? `~/${path.slice(home.length)}` : path)
  const keys = Object.entries(choice.keys).map(([action, key]) => `prefix ${key} (${action})`)
  const effects = [
    `binds ${listed(keys)}`,
    choice.status ? 'shows the stuck count in the status line' : 'shows no stuck count',
    choice.start ? 'starts Trail Boss with tmux' : 'leaves it to you to start Trail Boss',
  ]
  const files = changes.map(({ file, isGenerated }) => {
    if (!isGenerated) {
      const isThere = file.bytes && hasBlock(file.bytes)
      return `${isThere ? 'changes our lines in' : 'adds three lines to'} ${short(file.path)}`
    }
    return `${file.bytes ? 'rewrites' : 'writes'} ${short(file.path)} (--diff shows it)`
  })
  for (const sentence of [`This ${listed(effects)}.`, `It ${listed(files.toReversed())}.`]) {
    io.note(sentence)
  }
}

function listed(parts: string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

async function wantsStatus(
  options: InstallTmuxOptions,
  config: Config,
  earlier: KeysFileChoice | undefined,
  io: InstallIo,
): Promise<boolean> {
  if (options.status !== undefined) return options.status
  if (config.statusSegment) return true
  if (earlier) return earlier.status
  if (options.yes || options.print || !io.confirm) return false
  return io.confirm('Show in the status line how many are stuck?')
}

/** tmux runs commands in the environment of its server, which may differ from this shell's. */
function keyEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const moved = env['TRAILBOSS_HOME'] ? ['TRAILBOSS_HOME'] : ['XDG_STATE_HOME', 'XDG_CONFIG_HOME']
  const directories = moved.flatMap((name) => (env[name] ? [[name, resolve(env[name])]] : []))
  const port = env['TRAILBOSS_PORT'] ? [['TRAILBOSS_PORT', env['TRAILBOSS_PORT']]] : []
  return Object.fromEntries([...directories, ...port])
}

/** The keys file comes first, so that a user whose tmux.conf we cannot write can wire it by hand. */
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
    io.print(`  prefix ${key}  ${ACTIONS[action as KeyAction].meaning}`)
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

function noKeyLeft({ conflicts }: KeyPlan): TrailBossError {
  const keys = conflicts.map(({ key }) => key).join(', ')
  return new TrailBossError('KEY_CONFLICT', `Every key is taken: ${keys}. Nothing was changed.`, {
    hint: 'Choose others with --key-next, --key-popup, --key-skip and --key-back.',
  })
}
