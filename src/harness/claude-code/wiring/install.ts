import type { HookRequest } from '../../hooks/hook-edit.ts'
import * as edit from '../../hooks/hook-edit.ts'
import { HARNESS } from './name.ts'

/** Seconds. The emitter needs a fraction of one; a version without async hooks would wait for it. */
const TIMEOUT = 5

export const MANNER: edit.HookManner = {
  harness: HARNESS,
  title: 'Claude Code',
  fields: () => ({ type: 'command', async: true, timeout: TIMEOUT }),
  needed: ['type'],
  wanted: ['async'],
}

/** `text` undefined means that there is no file yet; `before` is what it was before ours. Idempotent. */
export function addHooks(text: string | undefined, request: HookRequest, before?: string): string {
  return edit.addHooks(MANNER, text, request, before)
}

/** Undefined when nothing is left of a file that was made for them: one without a text from before. */
export function removeHooks(text: string, before: string | undefined): string | undefined {
  return edit.removeHooks(MANNER, text, before)
}
