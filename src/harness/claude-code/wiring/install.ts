import type { HookRequest } from '../../hook-install/hook-edit.ts'
import * as edit from '../../hook-install/hook-edit.ts'
import { HARNESS } from './name.ts'

/** Seconds. The emitter needs a fraction of one; a version without async hooks would wait this long. */
const TIMEOUT = 5

export const FORMAT: edit.HookFormat = {
  harness: HARNESS,
  title: 'Claude Code',
  fields: () => ({ type: 'command', async: true, timeout: TIMEOUT }),
  needed: ['type'],
  wanted: ['async'],
}

/** `text` undefined means that there is no file yet; `before` is the text before our change. Idempotent. */
export function addHooks(text: string | undefined, request: HookRequest, before?: string): string {
  return edit.addHooks(FORMAT, text, request, before)
}

/** Undefined if nothing is left of a file created for them: one without an original text. */
export function removeHooks(text: string, before: string | undefined): string | undefined {
  return edit.removeHooks(FORMAT, text, before)
}
