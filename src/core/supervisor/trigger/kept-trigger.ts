import { redacted } from '../../redact/redaction.ts'
import type { TextPrint, Trigger } from './trigger.ts'

/**
 * The trigger as it is stored. Its text must be there, word for word, as long as it may be typed; after that, it
 * is stored without its secrets, and with the print of what was typed.
 */
export function keptTrigger(trigger: Trigger, printOf: (text: string) => TextPrint): Trigger {
  if (mayBeTyped(trigger)) return trigger
  const { text, reason, force } = trigger
  const clean = {
    text: redacted(text),
    reason: redacted(reason),
    why: force && redacted(force.why),
  }
  if (clean.text === text && clean.reason === reason && clean.why === force?.why) return trigger
  return {
    ...trigger,
    text: clean.text,
    reason: clean.reason,
    ...(force && clean.why !== undefined && { force: { ...force, why: clean.why } }),
    given: trigger.given ?? printOf(text),
  }
}

/** A failed trigger can be retried once: then the new one has its text. */
function mayBeTyped(trigger: Trigger): boolean {
  if (trigger.state === 'delivered') return false
  return !('answered' in trigger) || trigger.answered?.kind !== 'retried'
}
