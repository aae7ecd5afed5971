import type { Ask } from '../../core/session/event.ts'
import { truncate } from '../../core/text.ts'
import {
  askAbout,
  diffText,
  lines,
  plainAsk,
  questionsText,
  type Wanted,
} from '../adapter/ask-text.ts'
import { type JsonObject, listOf, objectOf, textOf } from '../config-edit/json-value.ts'

/** What a permission dialog shows; the details come from its notification. */
export function dialogWanted(details: JsonObject, message: string | undefined): Wanted {
  const text = detailsText(details) ?? message ?? 'Waits for your permission.'
  const type = textOf(details['type'])
  const tool = textOf(details['title']) ?? type
  const ask = { ...plainAsk(text), ...(tool && { tool: truncate(tool, 200) }) }
  return { ask, label: ASKING.has(type ?? '') ? 'asks' : 'permission' }
}

/** These always wait for the human. */
export const ASKING: ReadonlySet<string> = new Set(['ask_user', 'exit_plan_mode'])

/** The question of a tool that always asks the human. */
export function questionAsk(tool: string, input: unknown): Ask {
  const fields = objectOf(input)
  const asked = tool === 'ask_user' ? questionsText(listOf(fields['questions'])) : planText(fields)
  return askAbout(tool, input, asked)
}

/**
 * What a turn ended with. Undefined if it gave no answer because it was interrupted or failed: the transcript
 * shows which. Gemini CLI itself joins the pieces of an answer with blanks (0.61.0).
 */
export function answerAsk(response: unknown): Ask | undefined {
  const pieces = textOf(response)?.replaceAll(/(?<=\S) {2}(?=\S)/g, ' ')
  const text = pieces?.replaceAll(/ +$/gm, '').trim()
  if (!text || text === '[no response text]') return undefined
  return plainAsk(text)
}

/** An error as Gemini CLI shows it; for an error in JSON, its message. */
export function apiError(content: string): Wanted {
  const [, error = content] = /^\[API Error: ([\s\S]*)\]$/.exec(content.trim()) ?? []
  return { ask: plainAsk(`API error: ${messageIn(error) ?? error}`), label: 'error' }
}

function detailsText(details: JsonObject): string | undefined {
  switch (details['type']) {
    case 'exec':
      return textOf(details['command'])
    case 'edit': {
      const path = textOf(details['filePath']) ?? textOf(details['fileName'])
      return path && lines(`Edit ${path}`, diffText(details['fileDiff']))
    }
    case 'mcp': {
      const tool = textOf(details['toolDisplayName']) ?? textOf(details['toolName'])
      return tool && `${tool} (MCP server ${textOf(details['serverName']) ?? 'unknown'})`
    }
    case 'info':
      return lines(textOf(details['prompt']), ...listOf(details['urls']).map(textOf)) || undefined
    case 'ask_user':
      return 'Asks you something.'
    case 'exit_plan_mode':
      return 'Has a plan, and wants to start.'
    default:
      return undefined
  }
}

function planText(fields: JsonObject): string {
  const file = textOf(fields['plan_filename'])
  return `Has a plan, and wants to start${file ? `: ${file}` : '.'}`
}

function messageIn(error: string): string | undefined {
  try {
    const { code, message } = objectOf(objectOf(JSON.parse(error))['error']) as JsonObject
    const text = textOf(message)
    return text && (typeof code === 'number' ? `${code} ${text}` : text)
  } catch {
    return undefined
  }
}
