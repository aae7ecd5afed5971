import { dirname } from 'node:path'
import { resolvePaths } from '../../config/paths.ts'
import { TrailBossError } from '../../core/errors.ts'
import { addPlugin } from '../../harness/opencode/install.ts'
import { isOurPlugin, pluginText } from '../../harness/opencode/plugin.ts'
import {
  type Change,
  clearLeftovers,
  confirmChanges,
  keepWhatWas,
  makeDirectory,
} from './install-change.ts'
import { type InstallIo, terminalIo } from './install-io.ts'
import { emitterFor, whatNext } from './install-next.ts'
import { pluginPath, TITLE, tuiPaths, tuiSettings } from './opencode-config.ts'
import { inFile, readSettings } from './settings-file.ts'
import { readUserFile, requireWritable, writeUserFile } from './user-file.ts'

type Written = Change & { after: Buffer }

/**
 * Idempotent. The plugin is a file of ours; the line that names it leaves the rest of its file alone.
 * True when something was changed.
 */
export async function installOpencode(
  options: { yes?: boolean },
  io: InstallIo = terminalIo(),
): Promise<boolean> {
  clearLeftovers([pluginPath(io.env), ...tuiPaths(io.env)], io)
  const { program, home } = emitterFor(io.env)
  const plugin = pluginChange(io.env, pluginText({ program, ...(home !== undefined && { home }) }))
  const settings = settingsChange(io.env)
  const changes = [plugin, settings].filter(({ file, after }) => !file.bytes?.equals(after))
  if (changes.length > 0) {
    for (const { file } of changes) requireWritable(file)
    await confirmChanges(TITLE, changes, options, io)
    makeDirectory(dirname(plugin.file.path))
    // The plugin before the line that names it, so that no start finds the line alone.
    for (const { file, after } of changes) {
      if (file === settings.file) keepWhatWas(file, io)
      writeUserFile(file, after)
    }
  }
  if (changes.length === 0) io.print('Already installed.')
  for (const { file } of changes) io.print(`${file.bytes ? 'Changed' : 'Wrote'} ${file.path}`)
  io.print(`  the plugin runs ${program}`)
  if (changes.length > 0) {
    io.print('Sessions that are running take it up when they are started again.')
  }
  await whatNext(resolvePaths(io.env), true, io)
  return changes.length > 0
}

function pluginChange(env: NodeJS.ProcessEnv, text: string): Written {
  const file = readUserFile(pluginPath(env))
  if (file.bytes && !isOurPlugin(file.bytes.toString())) {
    throw new TrailBossError('BAD_USAGE', `${file.path} is not a plugin that Trail Boss wrote.`, {
      hint: 'Nothing was changed. Give it another name, then run this again.',
    })
  }
  return { file, after: Buffer.from(text) }
}

function settingsChange(env: NodeJS.ProcessEnv): Written {
  const path = tuiSettings(env)
  const { file, text } = readSettings(path)
  return { file, after: Buffer.from(inFile(path, TITLE, () => addPlugin(text))) }
}
