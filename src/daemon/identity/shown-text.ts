import { redacted } from '../../core/redact/redaction.ts'
import { displayLine, truncate } from '../../core/text.ts'

const MOST_CHARS = 200

/** A name from outside: safe to show, without secrets, and short. Undefined if nothing is left of it. */
export function shownText(text: string | undefined): string | undefined {
  if (!text) return undefined
  return truncate(redacted(displayLine(text.slice(0, 2 * MOST_CHARS))), MOST_CHARS) || undefined
}
