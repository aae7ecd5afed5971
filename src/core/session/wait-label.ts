import type { Ask, Reason } from './event.ts'

/**
 * What people read instead of the reason: it asks something, wants a permission, has finished, ran into an
 * error, was interrupted, stands still. `waits`: nothing shows which of them it is.
 */
export type WaitLabel = (typeof WAIT_LABELS)[number]

export const WAIT_LABELS = [
  'asks',
  'permission',
  'finished',
  'error',
  'interrupted',
  'stalled',
  'waits',
] as const

/** It cannot go on without an answer, unlike one that has finished. */
export function needsAnswer({ reason, label }: { reason: Reason; label: WaitLabel }): boolean {
  return reason === 'permission' || label === 'asks'
}

/** A turn that ended with words and without a label has finished; turns stored earlier have no label. */
export function labelOf(wait: {
  reason: Reason
  ask: Ask | undefined
  label?: WaitLabel | undefined
}): WaitLabel {
  const { reason, ask, label } = wait
  return label ?? (reason === 'permission' ? 'permission' : ask ? 'finished' : 'waits')
}
