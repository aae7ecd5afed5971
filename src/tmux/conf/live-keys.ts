import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommands, runTmux, type TmuxResult } from '../exec.ts'
import { forgetAllClients } from '../place.ts'
import { clearProjection } from '../projection.ts'
import { type Bindings, readBindings } from './bindings.ts'
import { globLiteral } from './conf-file.ts'
import { canonicalKey } from './key-name.ts'
import { CONF_OPTIONS, ourAction, SEGMENT_SUFFIX, STARTED } from './keys.ts'

type Failure = Extract<TmuxResult, { ok: false }>

/** What the running server has bound after its prefix. */
export async function liveBindings(
  socket: string,
): Promise<{ ok: true; bindings: Bindings } | Failure> {
  // Checked first because `list-keys` would start a server if there is none.
  const alive = await runTmux(socket, ['show-options', '-gqv', '@trailboss_run'])
  const result = alive.ok ? await runTmux(socket, ['list-keys', '-T', 'prefix']) : alive
  return result.ok ? { ok: true, bindings: readBindings(result.stdout).bindings } : result
}

/** What this tmux binds by itself. */
export async function defaultBindings(): Promise<Bindings> {
  const result = await askPristineServer(['list-keys', '-T', 'prefix'])
  return readBindings(result.ok ? result.stdout : '').bindings
}

/**
 * Loads the keys file into the running server, which does not start the daemon. Frees our keys that the file no
 * longer binds, and the status line if the file no longer fills it.
 */
export async function bindLive(
  socket: string,
  keysFile: string,
  wanted: { keys: string[]; status: boolean },
): Promise<TmuxResult> {
  const kept = new Set(wanted.keys.map(canonicalKey))
  await unbind(socket, (key) => !kept.has(key))
  if (!wanted.status) await removeSegment(socket)
  await runTmux(socket, ['set-option', '-g', STARTED, '1'])
  return runTmux(socket, ['source-file', globLiteral(keysFile)])
}

/** Frees the keys that are still bound to our commands, and returns them. Leaves a key that was rebound since. */
export async function unbindLive(socket: string): Promise<string[]> {
  const freed = await unbind(socket, () => true)
  await removeSegment(socket)
  const fresh = await runTmux(socket, ['display-message', '-p', '#{E:@trailboss_fresh}'])
  // While the daemon runs, its options are its own: unset, they would look like an empty queue.
  if (!fresh.ok || fresh.stdout.trim() !== '1') await clearProjection(socket)
  await unsetOptions(socket, CONF_OPTIONS)
  await forgetAllClients(socket)
  return freed
}

async function unbind(socket: string, isUnwanted: (key: string) => boolean): Promise<string[]> {
  const live = await liveBindings(socket)
  if (!live.ok) return []
  const freed: string[] = []
  for (const [canonical, { key, command }] of live.bindings) {
    if (!ourAction(command) || !isUnwanted(canonical)) continue
    await runTmux(socket, ['unbind-key', '-T', 'prefix', key])
    await restoreDefault(socket, key)
    freed.push(key)
  }
  return freed
}

/** tmux 3.8 binds Tab and g itself. */
async function restoreDefault(socket: string, key: string): Promise<void> {
  const line = await askPristineServer(['list-keys', '-T', 'prefix', key])
  if (line.ok && line.stdout.trim() !== '') {
    await runTmux(socket, ['source-file', '-'], { input: line.stdout })
  }
}

async function removeSegment(socket: string): Promise<void> {
  const line = await globalOption(socket, 'status-format[0]')
  const at = line?.lastIndexOf(SEGMENT_SUFFIX) ?? -1
  if (line === undefined || at < 0) return
  const rest = line.slice(0, at) + line.slice(at + SEGMENT_SUFFIX.length)
  // A word that ends in a semicolon would end the command.
  const word = rest.replace(/;$/, '\\;')
  await runTmux(socket, ['set-option', '-g', 'status-format[0]', word])
}

async function globalOption(socket: string, name: string): Promise<string | undefined> {
  const result = await runTmux(socket, ['show-options', '-gqv', name])
  return result.ok ? result.stdout.replace(/\n$/, '') : undefined
}

async function unsetOptions(socket: string, names: string[]): Promise<void> {
  await runCommands(
    socket,
    names.map((name) => ['set-option', '-gqu', name]),
  )
}

/** A server that reads no configuration and exits after the answer. */
async function askPristineServer(args: string[]): Promise<TmuxResult> {
  const dir = mkdtempSync(join(tmpdir(), 'trailboss-'))
  try {
    return await runTmux(join(dir, 's'), ['-f', '/dev/null', ...args])
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
