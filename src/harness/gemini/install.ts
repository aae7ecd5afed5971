import type { HookRequest } from '../hooks/hook-edit.ts'
import * as edit from '../hooks/hook-edit.ts'
import { HARNESS } from './name.ts'

/** Milliseconds. The emitter needs a fraction of it, and Gemini CLI waits for it. */
const TIMEOUT = 5_000

/** What Gemini CLI calls the hook while it runs, and in its list of disabled ones. */
export const HOOK_NAME = 'trailboss'

export const MANNER: edit.HookManner = {
  harness: HARNESS,
  title: 'Gemini CLI',
  fields: () => ({ type: 'command', name: HOOK_NAME, timeout: TIMEOUT }),
  needed: ['type'],
  wanted: ['name'],
  hasComments: true,
}

/** `text` undefined means that there is no file yet; `before` is what it was before ours. Idempotent. */
export function addHooks(text: string | undefined, request: HookRequest, before?: string): string {
  return edit.addHooks(MANNER, text, request, before)
}

/** Undefined when nothing is left of a file that was made for them: one without a text from before. */
export function removeHooks(text: string, before: string | undefined): string | undefined {
  return edit.removeHooks(MANNER, text, before)
}
