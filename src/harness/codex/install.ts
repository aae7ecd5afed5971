import type { HookRequest } from '../hook-edit.ts'
import * as edit from '../hook-edit.ts'
import { restoreDaemon, switchDaemonOff } from './daemon-setting.ts'
import { timeoutOf } from './hook-events.ts'
import { HARNESS } from './name.ts'
import { addTrust, type HookTrust, removeTrust } from './trust.ts'

const MANNER: edit.HookManner = {
  harness: HARNESS,
  title: 'Codex',
  fields: (event) => ({ type: 'command', timeout: timeoutOf(event) }),
  needed: [],
}

/** The text of `hooks.json`; undefined means that there is no file yet. Idempotent. */
export function addHooks(text: string | undefined, request: HookRequest, before?: string): string {
  return edit.addHooks(MANNER, text, request, before)
}

/** Undefined when nothing is left of a file that was made for them. */
export function removeHooks(text: string, before: string | undefined): string | undefined {
  return edit.removeHooks(MANNER, text, before)
}

export type ConfigRequest = {
  trusted: readonly HookTrust[]
  /** What our hooks were trusted by until now. */
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
  return addTrust(changed, trusted, { before, former })
}

/** Undefined when nothing is left of a file that was made for us. */
export function restoreConfig(
  text: string,
  trusted: readonly HookTrust[],
  before: string | undefined,
): string | undefined {
  const rest = removeTrust(text, trusted, before)
  return rest === undefined ? undefined : restoreDaemon(rest, before)
}

function withDaemon(text: string | undefined, isShared: boolean, before: string | undefined) {
  return isShared ? restoreDaemon(text ?? '', before) : switchDaemonOff(text)
}
