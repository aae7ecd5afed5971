import { redacted, redactedField, redactedScreen } from '../redact/redaction.ts'
import type { AgentEvent } from './event.ts'

/** An event that may be stored, logged and shown. */
export type RedactedEvent = AgentEvent & { readonly __brand: 'redacted' }

/**
 * The event without secrets. Names that identify things stay: session, subagent, pane and files. The same event
 * always gives the same result, and a second pass changes nothing, so that a repeated claim is still the same
 * claim.
 */
export function withoutSecrets(event: AgentEvent): RedactedEvent {
  const fields = Object.entries(event).map(([field, value]) => {
    if (IDENTITIES.has(field)) return [field, value]
    if (field === 'block') return [field, blockWithoutSecrets(value as string)]
    const isAsk = field === 'ask' && event.source === 'screen' && event.ask
    return [
      field,
      isAsk ? clean({ ...isAsk, text: redactedScreen(isAsk.text) }, '') : clean(value, field),
    ]
  })
  return Object.fromEntries(fields) as RedactedEvent
}

/** Any value in a form that may be written down. */
export function valueWithoutSecrets(value: unknown): unknown {
  return clean(value, '')
}

const IDENTITIES = new Set([
  ...['v', 'kind', 'source', 'reason', 'harness', 'session', 'subagent'],
  ...['pane', 'job', 'cwd', 'transcript', 'marks', 'about'],
])

function clean(value: unknown, name: string): unknown {
  if (typeof value === 'string') return redactedField(name, value)
  if (Array.isArray(value)) return value.map((item, at) => clean(item, flagBefore(value, at)))
  if (value === null || typeof value !== 'object') return value
  const fields = Object.entries(value).map(([field, inner]) => [
    redacted(field),
    clean(inner, field),
  ])
  return Object.fromEntries(fields)
}

/** `["--password", "…"]`: in a list of arguments each one may name the next. */
function flagBefore(list: readonly unknown[], at: number): string {
  const before = list[at - 1]
  return typeof before === 'string' && before.startsWith('-') ? before : ''
}

const CUT_CHARS = 200

/**
 * Two commands that differ only in their secrets are two permissions. 16 bits of a checksum distinguish them,
 * too few to recover the secret.
 */
export function blockWithoutSecrets(block: string): string {
  // A long name was cut, and a secret at its end with it.
  const named = block.length < CUT_CHARS ? redacted(block) : redacted(`${block}…`).replace(/…$/, '')
  return named === block ? block : `${named}#${checksum(block)}`
}

function checksum(text: string): string {
  let sum = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193)
  }
  return ((sum >>> 16) ^ (sum & 0xffff)).toString(16).padStart(4, '0')
}
