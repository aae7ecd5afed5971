import type { Claim, TranscriptReader } from '../adapter/adapter.ts'
import { INTERRUPTED_BY_OPERATOR, type Wanted } from '../adapter/ask-text.ts'
import { withMarks } from '../adapter/prompt-marks.ts'
import { type JsonObject, listOf, objectOf, textOf } from '../config-edit/json-value.ts'
import { apiError } from './ask.ts'
import { HARNESS } from './name.ts'

/**
 * What Gemini CLI records of a session (0.61.0). It shows what its hooks do not: that a turn was interrupted, a
 * permission denied, or that a request failed. An answer looks the same whether the turn continues after it or
 * not, so it ends none.
 */
export const transcriptReader: TranscriptReader<TranscriptState> = {
  start: (session) => ({ session, rewrittenAt: undefined }),
  isLacking: () => false,
  read({ session, rewrittenAt }, record) {
    const line = objectOf(record)
    if ('messages' in objectOf(line['$set'])) return { state: { session, rewrittenAt: undefined } }
    const claim = claimOf(line)
    const at = Date.parse(textOf(line['timestamp']) ?? '')
    if (!claim || Number.isNaN(at)) return { state: { session, rewrittenAt } }
    const isCopy = rewrittenAt !== undefined && at - rewrittenAt < REWRITING_MS
    if (isCopy || isContext(line)) return { state: { session, rewrittenAt: at } }
    const about = { v: 1, harness: HARNESS, session, source: 'transcript' } as const
    return { state: { session, rewrittenAt: undefined }, event: { ...about, at, ...claim } }
  },
}

export type TranscriptState = {
  readonly session: string
  /** After a denial Gemini CLI writes the whole conversation once more, as if all of it happened now. */
  readonly rewrittenAt: number | undefined
}

/** No prompt follows the last copy this soon. */
const REWRITING_MS = 300

function claimOf(line: JsonObject): Claim | undefined {
  switch (line['type']) {
    case 'user':
      return userClaim(line)
    case 'gemini':
      return { kind: 'seen', detail: 'gemini' }
    case 'error':
      return stop(apiError(textOf(line['content']) ?? 'unknown'), 'error')
    case 'info':
      return line['content'] === 'Request cancelled.'
        ? stop(INTERRUPTED_BY_OPERATOR, 'request cancelled')
        : undefined
    default:
      return undefined
  }
}

/** A prompt, or the results of the tools: then none of them waits for permission any more. */
function userClaim(line: JsonObject): Claim {
  const parts = listOf(line['content']).map(objectOf)
  const hasResults = parts.some((part) => 'functionResponse' in part)
  if (hasResults) return { kind: 'unstuck', detail: 'tool results' }
  const marks = withMarks(...parts.map((part) => part['text']))
  return { kind: 'unstuck', prompt: true, ...marks, detail: 'user' }
}

function stop(wanted: Wanted, detail: string): Claim {
  return { kind: 'stuck', reason: 'stopped', ...wanted, detail }
}

/** The beginning of every conversation. */
function isContext(line: JsonObject): boolean {
  const [first] = listOf(line['content'])
  return line['type'] === 'user' && (textOf(objectOf(first)['text']) ?? '').startsWith(CONTEXT)
}

const CONTEXT = '<session_context>'
