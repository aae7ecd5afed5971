import { TrailBossError } from '../../errors.ts'
import { displayLine, displayText } from '../../text.ts'
import { type Mark, markPrefix, withoutMarks } from './mark.ts'

/** The content of a trigger, before it becomes the one line that is typed. */
export type TriggerEnvelope = {
  mark: Mark
  triggerId: string
  threadId?: string | undefined
  reason: string
  text: string
}

/** Bytes of UTF-8. A trigger is one line in a composer; a dispatch carries a whole task. */
export const MOST_TRIGGER_BYTES = 4_000
const MOST_PROMPT_BYTES = 64 * 1_024

/** One line, because composers split or submit text with several. */
export function envelopeOf({ mark, triggerId, threadId, reason, text }: TriggerEnvelope): string {
  const fields = [
    `id=${field(triggerId)}`,
    ...(threadId === undefined ? [] : [`thread=${field(threadId)}`]),
    `reason=${field(reason)}`,
  ]
  const line = requireText(text, 'line')
  return `${markPrefix(mark)}[${NAME} ${fields.join(' ')}] ${line} [/${NAME}]`
}

/** For a dispatch: the text with its line breaks. */
export function promptOf(mark: Mark, text: string): string {
  return `${markPrefix(mark)}${requireText(text, 'lines')}`
}

/** The first prompt of a new session: what it has to know, and then the text with our mark, which stays the only one. */
export function withIntroduction(parts: readonly (string | undefined)[], text: string): string {
  const before = parts.filter((part) => part !== undefined).map((part) => sanitised(part, 'lines'))
  return [...before.filter((part) => part !== ''), text].join('\n\n')
}

/** The message in a typed text, without mark and envelope, for a person. */
export function wordsIn(text: string): string {
  return text
    .replace(/^\[tb:[a-z0-9]{10}\] /, '')
    .replace(/^\[BRIDGE_TRIGGER [^\]]*\] (.*) \[\/BRIDGE_TRIGGER\]$/s, '$1')
}

/** `line`: everything on one line. `lines`: line breaks are kept. */
export type TextShape = 'line' | 'lines'

/**
 * What may be typed into a pane: no control characters, no escape sequence that could end a paste, no bidi or
 * invisible controls, and nothing that could pass for one of our marks or envelopes.
 */
export function sanitised(text: string, shape: TextShape): string {
  const clean = shape === 'line' ? displayLine(text) : displayText(text).trim()
  return withoutMarks(clean).replace(OUR_TAGS, '(')
}

/** The text in the form in which it may be typed. Throws if nothing is left of it, or too much. */
export function requireText(text: string, shape: TextShape): string {
  const most = shape === 'line' ? MOST_TRIGGER_BYTES : MOST_PROMPT_BYTES
  const clean = sanitised(text, shape)
  if (clean === '') {
    if (text.trim() === '') throw new TrailBossError('BAD_REQUEST', 'There is no text to send.')
    throw new TrailBossError(
      'BAD_REQUEST',
      'There is no text to send: nothing in it can be shown.',
      {
        hint: 'Control characters are removed before anything is typed.',
      },
    )
  }
  const bytes = new TextEncoder().encode(clean).length
  if (bytes <= most) return clean
  throw new TrailBossError('TOO_LARGE', `The text has ${bytes} bytes, and ${most} are the most.`, {
    hint: 'Put it into a file that the agent can read, and send the path.',
  })
}

const NAME = 'BRIDGE_TRIGGER'
const OUR_TAGS = /\[(?=\/?BRIDGE_TRIGGER)/gi
const LONGEST_FIELD = 64

/** One word, so that no value can add a field or end the tag. */
function field(value: string): string {
  return (
    displayLine(value)
      .replace(/[^\w.:/-]/g, '_')
      .slice(0, LONGEST_FIELD) || '_'
  )
}
