import { REDACTED } from '../redact/redaction.ts'
import type { Ask } from './event.ts'

/** The ask whose first line is on the screen; of two, the longer one. The screen wraps lines. */
export function askShown(asked: readonly Ask[], { text }: Ask): Ask | undefined {
  const shown = withoutSpace(text)
  const found = asked.filter((ask) => holdsInOrder(shown, firstLine(ask).split(REDACTED)))
  return found.toSorted((a, b) => firstLine(b).length - firstLine(a).length)[0]
}

function firstLine({ text }: Ask): string {
  return withoutSpace(text.split('\n')[0] ?? '')
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, '')
}

/** A secret that the screen wraps is redacted differently. */
function holdsInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0
  return parts.every((part) => {
    const at = text.indexOf(part, from)
    from = at + part.length
    return at >= 0
  })
}
