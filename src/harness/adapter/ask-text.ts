import type { Ask } from '../../core/session/event.ts'
import { INTERRUPTED, NO_ANSWER } from '../../core/session/verdict.ts'
import type { WaitLabel } from '../../core/session/wait-label.ts'
import { truncate } from '../../core/text.ts'
import {
  canonicalJson,
  isNestedWithin,
  listOf,
  objectOf,
  shortened,
  textOf,
} from '../config-edit/json-value.ts'

export const MAX_ASK_CHARS = 16_000

/** The last message of a session that ended its turn. */
export function stoppedAsk(message: string | undefined): Ask {
  return plainAsk(message ?? FINISHED)
}

/** What a session wants, and the kind of wait if the reason does not imply it. */
export type Wanted = { ask: Ask; label?: WaitLabel }

export const INTERRUPTED_BY_OPERATOR: Wanted = { ask: INTERRUPTED, label: 'interrupted' }

/** Whether the human interrupted it, rather than it ending by itself. */
export function isInterruption({ text }: Ask): boolean {
  return text === INTERRUPTED.text || text === NO_ANSWER.text
}

export function plainAsk(text: string): Ask {
  return { text: truncate(text, MAX_ASK_CHARS) }
}

/** The ask about a tool; without a known text, the tool's name and input. */
export function askAbout(tool: string, input: unknown, known: string | undefined): Ask {
  const text = truncate(known ?? anyToolText(tool, input), MAX_ASK_CHARS)
  return isNestedWithin(input, MAX_INPUT_DEPTH) ? { text, tool, input } : { text, tool }
}

/** Questions and their choices; undefined if there are none. */
export function questionsText(questions: readonly unknown[]): string | undefined {
  const texts = questions.map((asked) => {
    const fields = objectOf(asked)
    const options = listOf(fields['options']).map((choice, index) => {
      const { label, description } = objectOf(choice) as { label?: unknown; description?: unknown }
      const named = textOf(label) ?? textOf(choice) ?? '?'
      const explained = textOf(description)
      return `  ${index + 1}. ${named}${explained ? `: ${explained}` : ''}`
    })
    const manner = fields['multiSelect'] === true ? ' (choose any)' : ''
    return lines(`${textOf(fields['question']) ?? '?'}${manner}`, ...options)
  })
  return texts.length > 0 ? texts.join('\n\n') : undefined
}

/** Joins the parts that are not empty, each cut to the size of an ask. */
export function lines(...parts: (string | undefined)[]): string {
  return parts.flatMap((part) => (part ? [part.slice(0, MAX_ASK_CHARS + 1)] : [])).join('\n')
}

/** A diff without its header, which only repeats the file name. */
export function diffText(diff: unknown): string | undefined {
  const all = textOf(diff)?.trimEnd().split('\n')
  if (!all) return undefined
  const body = all.slice(all.findIndex((line) => line.startsWith('@@')) + 1)
  const hidden = body.length - MAX_DIFF_LINES
  return lines(...body.slice(0, MAX_DIFF_LINES), hidden > 0 ? `… ${hidden} more lines` : undefined)
}

/** Only counts the lines after them: there may be a million. */
export function firstLines(text: string, most: number): { shown: string[]; hidden: number } {
  const shown: string[] = []
  let hidden = 0
  for (let start = 0, end = 0; end !== -1; start = end + 1) {
    end = text.indexOf('\n', start)
    if (shown.length === most) hidden += 1
    else shown.push(text.slice(start, end === -1 ? undefined : end))
  }
  return { shown, hidden }
}

const MAX_DIFF_LINES = 120
const MAX_INPUT_DEPTH = 16
const FINISHED = 'Finished its turn.'

function anyToolText(tool: string, input: unknown): string {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? []
  const json = canonicalJson(shortened(input, MAX_ASK_CHARS))
  return lines(server ? `${name} (MCP server ${server})` : tool, json === '{}' ? undefined : json)
}
