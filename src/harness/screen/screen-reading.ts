import type { Sight } from '../../core/screen/screen-match.ts'
import type { Ask, Reason } from '../../core/session/event.ts'
import type { WaitLabel } from '../../core/session/wait-label.ts'

/** What a screen claims about its session. */
export type ScreenReading =
  | { claim: 'stuck'; reason: Reason; label?: WaitLabel; ask?: Ask; detail: string }
  | { claim: 'working'; detail: string }

export function readingOf(sight: Sight | undefined): ScreenReading | undefined {
  if (!sight) return undefined
  const { rule: detail, shows, ask, label } = sight
  if (shows === 'working') return { claim: 'working', detail }
  const reason = shows === 'dialog' ? 'permission' : 'stopped'
  const said = { ...(label && { label }), ...(ask !== undefined && { ask: { text: ask } }) }
  return { claim: 'stuck', reason, ...said, detail }
}
