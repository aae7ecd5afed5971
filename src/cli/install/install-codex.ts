import { dirname } from 'node:path'
import { resolvePaths } from '../../config/paths.ts'
import { daemonSetting } from '../../harness/codex/wiring/daemon-setting.ts'
import { HOOK_EVENTS } from '../../harness/codex/wiring/hook-events.ts'
import { addHooks, changeConfig } from '../../harness/codex/wiring/install.ts'
import { hasTrust } from '../../harness/codex/wiring/trust.ts'
import type { Emitter } from '../../harness/hooks/emitter-command.ts'
import {
  type CodexFiles,
  codexFiles,
  everyTrust,
  obstacles,
  ourHooksIn,
  ourTrust,
  TITLE,
} from './codex-settings.ts'
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

export type InstallCodexOptions = {
  yes?: boolean
  /** False switches Codex's daemon off, true gives it back; else it is asked about, and left as it is. */
  sharedDaemon?: boolean
}

/**
 * The hooks go into `hooks.json`, the trust in them into `config.toml`. Idempotent. What others have in
 * either file stays as it is, to the byte. True when something was changed.
 */
export async function installCodex(
  options: InstallCodexOptions,
  io: InstallIo = terminalIo(),
): Promise<boolean> {
  const files = codexFiles(io.env)
  clearLeftovers([files.hooks, files.config], io)
  const emitter = emitterFor(io.env)
  const sharedDaemon = options.sharedDaemon ?? (await daemonWish(files, options, io))
  const changes = changesFor(files, emitter, sharedDaemon)
  if (changes.length > 0) {
    for (const { file } of changes) requireWritable(file)
    await confirmChanges(TITLE, changes, options, io)
    apply(files, emitter, changes, io)
  }
  report(files, changes, io)
  io.print(`  ${HOOK_EVENTS.length} hooks run ${emitter.program}`)
  const off = obstacles(files)
  if (changes.length > 0 && off.length === 0) {
    io.print('Sessions that are running take them up when they are started again.')
  }
  for (const sentence of off) io.note(`Warning: ${sentence}`)
  await whatNext(resolvePaths(io.env), true, io)
  return changes.length > 0
}

type Written = Change & { after: Buffer }

function changesFor(
  files: CodexFiles,
  emitter: Emitter,
  sharedDaemon: boolean | undefined,
): Written[] {
  const request = { emitter, events: HOOK_EVENTS, isComplete: true }
  const hooks = readSettings(files.hooks)
  const hooksAfter = inFile(files.hooks, TITLE, () =>
    addHooks(hooks.text, request, textBefore(files.hooks)),
  )
  const config = readSettings(files.config)
  const wanted = {
    trusted: ourTrust(files, hooksAfter),
    former: everyTrust(files, hooks.text, emitter),
    sharedDaemon,
  }
  const configAfter = inFile(files.config, TITLE, () =>
    changeConfig(config.text, wanted, textBefore(files.config)),
  )
  // The trust first: a Codex that starts in between would ask about hooks that it does not know.
  return [
    { file: config.file, after: Buffer.from(configAfter) },
    { file: hooks.file, after: Buffer.from(hooksAfter) },
  ].filter(({ file, after }) => !file.bytes?.equals(after))
}

function textBefore(path: string): string | undefined {
  return readUserFile(backupPath(path)).bytes?.toString()
}

/** What a backup holds is the file without anything of ours, so a renewal makes none. */
function apply(files: CodexFiles, emitter: Emitter, changes: Written[], io: InstallIo): void {
  const trusted = everyTrust(files, readSettings(files.hooks).text, emitter)
  const config = readSettings(files.config).text ?? ''
  const isIn = {
    [files.hooks]: ourHooksIn(files).size > 0,
    [files.config]: hasTrust(config, trusted) || daemonSetting(config) === 'off by us',
  }
  for (const { file, after } of changes) {
    makeDirectory(dirname(file.path))
    if (!isIn[file.path]) keepWhatWas(file, io)
    writeUserFile(file, after)
  }
}

function report({ config }: CodexFiles, changes: Written[], io: InstallIo): void {
  if (changes.length === 0) io.print('Already installed.')
  for (const { file } of changes) io.print(`${file.bytes ? 'Changed' : 'Wrote'} ${file.path}`)
  if (daemonSetting(readSettings(config).text ?? '') !== 'on') return
  io.note(ABOUT_DAEMON)
  io.note('  To have each session run in its own pane: trailboss install codex --no-shared-daemon')
}

const ABOUT_DAEMON = `Codex runs the sessions of all its terminals in one shared daemon. Then a session goes on when its pane
  is closed, its hooks do not tell its pane, and where several look alike no key can take you to it.`

/** Only somebody who is there can say; without an answer nothing is changed. */
async function daemonWish(
  { config }: CodexFiles,
  { yes }: InstallCodexOptions,
  io: InstallIo,
): Promise<false | undefined> {
  const text = readSettings(config).text ?? ''
  const isOn = inFile(config, TITLE, () => daemonSetting(text)) === 'on'
  if (!isOn || yes || !io.confirm) return undefined
  io.note(ABOUT_DAEMON)
  return (await io.confirm('Switch the shared daemon off?')) ? false : undefined
}
