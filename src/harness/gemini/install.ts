import type { HookRequest } from '../hook-install/hook-edit.ts'
import * as edit from '../hook-install/hook-edit.ts'
import { HARNESS } from './name.ts'

/** Milliseconds. The emitter needs a fraction of that, and Gemini CLI waits for it. */
const TIMEOUT = 5_000

/** The name that Gemini CLI shows while the hook runs, and in its list of disabled hooks. */
export const HOOK_NAME = 'trailboss'

export const FORMAT: edit.HookFormat = {
  harness: HARNESS,
  title: 'Gemini CLI',
  fields: () => ({ type: 'command', name: HOOK_NAME, timeout: TIMEOUT }),
  needed: ['type'],
  wanted: ['name'],
  hasComments: true,
}

/** `text` undefined means that there is no file yet; `before` is the text before our change. Idempotent. */
export function addHooks(text: string | undefined, request: HookRequest, before?: string): string {
  return edit.addHooks(FORMAT, text, request, before)
}

/** Undefined if nothing is left of a file created for them: one without an original text. */
export function removeHooks(text: string, before: string | undefined): string | undefined {
  return edit.removeHooks(FORMAT, text, before)
}
