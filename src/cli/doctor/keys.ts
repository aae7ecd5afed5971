import { existsSync } from 'node:fs'
import { launcherPath } from '../../config/installation.ts'
import { broken, type Check, ok, warning } from '../../harness/wiring/check.ts'
import { type KeyAction, ourAction, quote } from '../../tmux/conf/keys.ts'
import { liveBindings } from '../../tmux/conf/live-keys.ts'
import { runTmux } from '../../tmux/exec.ts'
import { chooseConf, confTexts, namesPlugin } from '../install/tmux-conf-choice.ts'
import type { Surroundings } from './surroundings.ts'

const INSTALL = 'trailboss install tmux'

export async function keyChecks(surroundings: Surroundings): Promise<Check[]> {
  const { env, paths, socket } = surroundings
  const conf = chooseConf(env, undefined).path
  const text = confTexts(env, conf, paths.tmuxConf)
  const isWired = /trailboss/.test(text)
  const live = await liveBindings(socket)
  if (!live.ok) return [confCheck(surroundings, conf, text)]
  const bound = new Map<KeyAction, string>()
  for (const { key, command } of live.bindings.values()) {
    const action = ourAction(command)
    if (action) bound.set(action, key)
  }
  const keys = keysCheck(bound, isWired ? conf : undefined)
  const program = bound.size > 0 ? await programChecks(socket) : []
  return [keys, ...program, confCheck(surroundings, conf, text)]
}

function keysCheck(bound: Map<KeyAction, string>, conf: string | undefined): Check {
  if (bound.size === 0) {
    const fix = conf ? `Load them: tmux source-file '${conf}'` : `Bind them with: ${INSTALL}`
    return broken('keys', 'none is bound in the running tmux server', fix)
  }
  const missing = (['next', 'popup', 'skip', 'back'] as const).filter(
    (action) => !bound.has(action),
  )
  const detail = [...bound].map(([action, key]) => `prefix ${key} ${action}`).join(', ')
  if (missing.length === 0) return ok('keys', detail)
  const options = missing.map((action) => ` --key-${action} KEY`).join('')
  return warning(
    'keys',
    `${detail}; no key for ${missing.join(' and ')}`,
    `Give it a free one: ${INSTALL}${options}`,
  )
}

async function programChecks(socket: string): Promise<Check[]> {
  const result = await runTmux(socket, ['show-options', '-gqv', '@trailboss_run'])
  const program = launcherPath()
  if (!result.ok || result.stdout.trim().endsWith(quote(program))) return []
  return [
    warning(
      'keys',
      `they run another installation than this one: ${result.stdout.trim()}`,
      `To have them run ${program}: ${INSTALL}`,
    ),
  ]
}

function confCheck({ paths }: Surroundings, conf: string, text: string): Check {
  if (!/trailboss/.test(text)) {
    return warning('tmux.conf', `nothing of ours is in ${conf}`, `Add it with: ${INSTALL}`)
  }
  if (existsSync(paths.tmuxConf)) return ok('tmux.conf', `${conf} loads the keys`)
  if (namesPlugin(text)) return ok('tmux.conf', 'TPM loads the keys')
  return warning(
    'tmux.conf',
    `${conf} is wired, but ${paths.tmuxConf} is not there`,
    `Write it again with: ${INSTALL} (a plugin manager does not need it)`,
  )
}
