import type { Ask, Reason } from '../core/event.ts'
import type { Sight } from '../core/monitor/screen-match.ts'

/** What a screen claims of the session in front of it. */
export type ScreenReading =
  | { claim: 'stuck'; reason: Reason; ask?: Ask; detail: string }
  | { claim: 'working'; detail: string }

export function readingOf(sight: Sight | undefined): ScreenReading | undefined {
  if (!sight) return undefined
  const { rule: detail, shows, ask } = sight
  if (shows === 'working') return { claim: 'working', detail }
  const reason = shows === 'dialog' ? 'permission' : 'stopped'
  return { claim: 'stuck', reason, ...(ask !== undefined && { ask: { text: ask } }), detail }
}
