import { type Evidence, HOOK_DELAY_MS } from './evidence.ts'

/** On a busy machine, a turn's prompt may be reported this far from the work it began. */
const OWN_PROMPT_MS = 1_000

/**
 * A prompt typed while the session worked usually begins another turn when this one ends. The turn's own prompt
 * is reported within a second of the work that it began, so within that time only a second prompt counts as
 * another.
 */
export function hasQueuedPrompt({ typedAt = 0, typedBefore = 0, busyAt }: Evidence): boolean {
  if (busyAt === undefined || typedAt <= busyAt) return false
  return typedAt > busyAt + OWN_PROMPT_MS || typedBefore > busyAt - OWN_PROMPT_MS
}

/** Whether hooks report the current turn: then they would have reported its end, too. */
export function isReportedByHooks({ heard, promptedAt = 0 }: Evidence): boolean {
  return heard?.hook !== undefined && heard.hook >= promptedAt - HOOK_DELAY_MS
}
