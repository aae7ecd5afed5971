import { type Evidence, HOOK_DELAY_MS } from './evidence.ts'

/** How far from the work that it began the prompt of a turn may be reported, on a busy machine. */
const OWN_PROMPT_MS = 1_000

/**
 * A prompt that was typed while the session worked begins another turn when this one ends, mostly.
 * The prompt of the turn itself is reported within a second of the work that it began, so that soon
 * after it only a second one is another.
 */
export function hasQueuedPrompt({ typedAt = 0, typedBefore = 0, busyAt }: Evidence): boolean {
  if (busyAt === undefined || typedAt <= busyAt) return false
  return typedAt > busyAt + OWN_PROMPT_MS || typedBefore > busyAt - OWN_PROMPT_MS
}

/** Whether hooks report the turn that is on: then they would have reported its end, too. */
export function isReportedByHooks({ heard, promptedAt = 0 }: Evidence): boolean {
  return heard?.hook !== undefined && heard.hook >= promptedAt - HOOK_DELAY_MS
}
