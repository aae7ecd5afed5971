import { messageOf, TrailBossError } from '../../../core/errors.ts'
import { parseTomlText } from '../../config-edit/toml-text.ts'
import type { HookRequest } from '../../hook-install/hook-edit.ts'
import * as edit from '../../hook-install/hook-edit.ts'
import { restoreDaemon, switchDaemonOff } from './daemon-setting.ts'
import { timeoutOf } from './hook-events.ts'
import { HARNESS } from './name.ts'
import { addTrust, type HookTrust, removeTrust } from './trust.ts'

export const FORMAT: edit.HookFormat = {
  harness: HARNESS,
  title: 'Codex',
  fields: (event) => ({ type: 'command', timeout: timeoutOf(event) }),
  needed: ['type'],
}

/** The text of `hooks.json`; undefined means that there is no file yet. Idempotent. */
export function addHooks(text: string | undefined, request: HookRequest, before?: string): string {
  return edit.addHooks(FORMAT, text, request, before)
}

/** Undefined if nothing is left of a file created for them. */
export function removeHooks(text: string, before: string | undefined): string | undefined {
  return edit.removeHooks(FORMAT, text, before)
}

export type ConfigRequest = {
  trusted: readonly HookTrust[]
  /** The earlier trust entries of our hooks. */
  former?: readonly HookTrust[]
  /** Undefined leaves Codex's daemon as it is. */
  sharedDaemon?: boolean | undefined
}

/** The text of `config.toml`; undefined means that there is no file yet. Idempotent. */
export function changeConfig(
  text: string | undefined,
  { trusted, former = [], sharedDaemon }: ConfigRequest,
  before?: string,
): string {
  const changed = sharedDaemon === undefined ? text : withDaemon(text, sharedDaemon, before)
  return stillToml(addTrust(changed, trusted, { before, former }))
}

/** Undefined if nothing is left of a file created for us. */
export function restoreConfig(
  text: string,
  trusted: readonly HookTrust[],
  before: string | undefined,
): string | undefined {
  const rest = removeTrust(text, trusted, before)
  const restored = rest === undefined ? undefined : restoreDaemon(rest, before)
  return restored === undefined ? undefined : stillToml(restored)
}

function withDaemon(text: string | undefined, isShared: boolean, before: string | undefined) {
  return isShared ? restoreDaemon(text ?? '', before) : switchDaemonOff(text)
}

/** Never write a file that Codex could no longer parse, whatever else is in it. */
function stillToml(text: string): string {
  try {
    parseTomlText(text)
  } catch (error) {
    const message = `changed like this it would be no TOML any more: ${messageOf(error)}`
    const hint = 'Nothing was changed. Write what is there already as a table of its own.'
    throw new TrailBossError('BAD_USAGE', message, { hint, cause: error })
  }
  return text
}
