import { TrailBossError } from '../errors.ts'
import { redacted } from '../redact/redaction.ts'
import { displayLine, displayText } from '../text.ts'
import type { Turn } from './safeguard.ts'

/** One post in a thread. It never changes. */
export type BridgeMessage = MessageDraft & {
  id: string
  /** Counts up over all threads, in the order of posting. Cursors point at it. */
  seq: number
  threadId: string
  author: Author
  at: number
}

/** What an author writes: all that is taken from a payload. The author's identity never is. */
export type MessageDraft = {
  text: string
  /** The agents it is for; everybody in the thread if empty. */
  to: string[]
  /** The problems, one by one. */
  findings: string[]
  /** What has changed for the better. */
  progress?: string
}

/** Only its token identifies an agent. `system` is Trail Boss itself. */
export type Author =
  | { kind: 'agent'; agentId: string }
  | { kind: 'operator'; name: string }
  | { kind: 'system' }

export const MESSAGE_LIMITS = {
  textBytes: 32 * 1024,
  recipients: 32,
  findings: 50,
  lineChars: 1_000,
} as const

/** The same draft, safe to show and to store, and within the limits. Throws, naming what does not fit. */
export function checkedDraft(draft: {
  text: string
  to?: readonly string[] | undefined
  findings?: readonly string[] | undefined
  progress?: string | undefined
}): MessageDraft {
  const progress = oneLine(draft.progress ?? '', 'The progress')
  return {
    text: checkedText(draft.text),
    to: [...new Set(atMost(draft.to ?? [], MESSAGE_LIMITS.recipients, 'recipients'))],
    findings: atMost(draft.findings ?? [], MESSAGE_LIMITS.findings, 'findings')
      .map((finding) => oneLine(finding, 'A finding'))
      .filter((finding) => finding !== ''),
    ...(progress === '' ? {} : { progress }),
  }
}

/** Nobody has to read their own posts. */
export function isFor(message: Pick<BridgeMessage, 'to' | 'author'>, agentId: string): boolean {
  const { to, author } = message
  const isOwn = author.kind === 'agent' && author.agentId === agentId
  return !isOwn && (to.length === 0 || to.includes(agentId))
}

export function turnOf(message: Pick<BridgeMessage, 'author' | 'progress' | 'findings'>): Turn {
  const { author, progress, findings } = message
  return { by: author.kind, progress, findings }
}

export function authorName(author: Author): string {
  switch (author.kind) {
    case 'agent':
      return author.agentId
    case 'operator':
      return author.name
    case 'system':
      return 'trailboss'
    default:
      return author satisfies never
  }
}

function checkedText(text: string): string {
  const shown = displayText(text).trim()
  if (shown === '') {
    throw new TrailBossError('BAD_REQUEST', 'The message has no text that can be shown.')
  }
  const bytes = utf8Bytes(shown)
  if (bytes > MESSAGE_LIMITS.textBytes) {
    throw new TrailBossError(
      'TOO_LARGE',
      `The message has ${bytes} bytes. At most ${MESSAGE_LIMITS.textBytes} can be posted.`,
      { hint: 'Write it into a file of the workspace and post its path.' },
    )
  }
  return redacted(shown)
}

function oneLine(text: string, what: string): string {
  const line = redacted(displayLine(text))
  if (line.length <= MESSAGE_LIMITS.lineChars) return line
  throw new TrailBossError(
    'TOO_LARGE',
    `${what} has ${line.length} characters. At most ${MESSAGE_LIMITS.lineChars} can be posted.`,
  )
}

function atMost(values: readonly string[], most: number, what: string): string[] {
  if (values.length <= most) return [...values]
  throw new TrailBossError(
    'TOO_LARGE',
    `The message has ${values.length} ${what}. At most ${most} can be posted.`,
  )
}

function utf8Bytes(text: string): number {
  let bytes = 0
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
  }
  return bytes
}
