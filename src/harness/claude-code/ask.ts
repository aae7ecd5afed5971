import type { Ask } from '../../core/event.ts'
import { truncate } from '../../core/text.ts'
import {
  canonicalJson,
  isNestedWithin,
  type JsonObject,
  listOf,
  objectOf,
  textOf,
} from '../json-value.ts'

/** What a human must know to answer a tool's permission prompt. */
export function toolAsk(tool: string, input: unknown): Ask {
  const text = truncate(toolText(tool, input) ?? anyToolText(tool, input), MAX_ASK_CHARS)
  return isNestedWithin(input, MAX_INPUT_DEPTH) ? { text, tool, input } : { text, tool }
}

/** What a session that ended its turn said last. */
export function stoppedAsk(message: string | undefined): Ask {
  return { text: truncate(message ?? FINISHED, MAX_ASK_CHARS) }
}

/** What goes on without the human, to be said after the ask. */
export function tasksNote(running: number): { note?: string } {
  if (running === 0) return {}
  return { note: `${running} background ${running === 1 ? 'task' : 'tasks'} still running` }
}

export function runningTasks(tasks: unknown): number {
  return listOf(tasks).filter((task) => (objectOf(task)['status'] ?? 'running') === 'running')
    .length
}

export function apiErrorAsk(error: string | undefined, message: string | undefined): Ask {
  if (message && /^API error/i.test(message)) return { text: truncate(message, MAX_ASK_CHARS) }
  const kind = error ? `API error (${truncate(error, 100)})` : 'API error'
  return { text: truncate(message ? `${kind}: ${message}` : kind, MAX_ASK_CHARS) }
}

export const INTERRUPTED_ASK: Ask = { text: 'Interrupted by you.' }

/** The form or page that an MCP server wants the human to fill in. */
export function elicitationAsk(server: string, payload: JsonObject): Ask {
  const fields = Object.keys(objectOf(objectOf(payload['requested_schema'])['properties']))
  const text = lines(
    `MCP server ${server} asks: ${textOf(payload['message']) ?? 'for your input'}`,
    fields.length > 0 ? `Fields: ${fields.join(', ')}` : undefined,
    textOf(payload['url']),
  )
  return { text: truncate(text, MAX_ASK_CHARS) }
}

export function plainAsk(text: string): Ask {
  return { text: truncate(text, MAX_ASK_CHARS) }
}

/** These always wait for the human, whatever the permission mode. */
export function asksTheHuman(tool: string): boolean {
  return tool === 'AskUserQuestion' || tool === 'ExitPlanMode'
}

export const MAX_ASK_CHARS = 16_000
const MAX_SHOWN_LINES = 60
const MAX_INPUT_DEPTH = 16
const FINISHED = 'Finished its turn.'

/** Undefined when the input is not what that tool takes. */
function toolText(tool: string, input: unknown): string | undefined {
  const fields = objectOf(input)
  const path = textOf(fields['file_path']) ?? textOf(fields['notebook_path'])
  switch (tool) {
    case 'Bash':
    case 'PowerShell': {
      const command = textOf(fields['command'])
      return command && lines(command, textOf(fields['description']))
    }
    case 'Write':
      return path && lines(`Write ${path}`, marked('+', fields['content']))
    case 'Edit':
      return path && lines(`Edit ${path}`, editText(fields))
    case 'MultiEdit': {
      const edits = listOf(fields['edits']).map((edit) => editText(objectOf(edit)))
      return path && lines(`Edit ${path}`, ...edits)
    }
    case 'NotebookEdit':
      return path && lines(`Edit ${path}`, marked('+', fields['new_source']))
    case 'WebFetch': {
      const url = textOf(fields['url'])
      return url && lines(`Fetch ${url}`, textOf(fields['prompt']))
    }
    case 'AskUserQuestion':
      return questionsText(listOf(fields['questions']))
    case 'ExitPlanMode':
      return textOf(fields['plan']) ?? 'Wants to leave plan mode.'
    default:
      return undefined
  }
}

function anyToolText(tool: string, input: unknown): string {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? []
  const json = canonicalJson(input)
  return lines(server ? `${name} (MCP server ${server})` : tool, json === '{}' ? undefined : json)
}

function editText(edit: JsonObject): string {
  return lines(marked('-', edit['old_string']), marked('+', edit['new_string']))
}

function questionsText(questions: readonly unknown[]): string | undefined {
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

function marked(mark: '+' | '-', value: unknown): string | undefined {
  const all = textOf(value)?.replace(/\n$/, '').split('\n')
  if (!all) return undefined
  const shown = all.slice(0, MAX_SHOWN_LINES).map((line) => `${mark} ${line}`)
  const hidden = all.length - shown.length
  return lines(...shown, hidden > 0 ? `… ${hidden} more lines` : undefined)
}

function lines(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n')
}
