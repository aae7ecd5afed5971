import type { Ask } from '../../core/session/event.ts'
import { truncate } from '../../core/text.ts'
import {
  askAbout,
  firstLines,
  lines,
  plainAsk,
  questionsText,
  type Wanted,
} from '../adapter/ask-text.ts'
import { type JsonObject, listOf, objectOf, textOf } from '../config-edit/json-value.ts'

/** What a human must know to answer a tool's permission prompt. */
export function toolAsk(tool: string, input: unknown): Ask {
  return askAbout(tool, input, toolText(tool, input))
}

/** The same with the kind of wait: a question or a plan is more than a permission. */
export function toolWanted(tool: string, input: unknown): Wanted {
  return { ask: toolAsk(tool, input), ...(asksTheHuman(tool) && { label: 'asks' as const }) }
}

/** What continues without the human, shown after the ask. */
export function tasksNote(running: number): { note?: string } {
  if (running === 0) return {}
  return { note: `${running} background ${running === 1 ? 'task' : 'tasks'} still running` }
}

export function runningTasks(tasks: unknown): number {
  return listOf(tasks).filter((task) => (objectOf(task)['status'] ?? 'running') === 'running')
    .length
}

export function apiError(error: string | undefined, message: string | undefined): Wanted {
  const kind = error ? `API error (${truncate(error, 100)})` : 'API error'
  const isWhole = message !== undefined && /^API error/i.test(message)
  const text = isWhole ? message : message ? `${kind}: ${message}` : kind
  return { ask: plainAsk(text), label: 'error' }
}

/** The form or page that an MCP server wants the human to fill in. */
export function elicitationAsk(server: string, payload: JsonObject): Ask {
  const fields = Object.keys(objectOf(objectOf(payload['requested_schema'])['properties']))
  const text = lines(
    `MCP server ${server} asks: ${textOf(payload['message']) ?? 'for your input'}`,
    fields.length > 0 ? `Fields: ${fields.join(', ')}` : undefined,
    textOf(payload['url']),
  )
  return plainAsk(text)
}

/** These always wait for the human, whatever the permission mode. */
export function asksTheHuman(tool: string): boolean {
  return tool === 'AskUserQuestion' || tool === 'ExitPlanMode'
}

const MAX_SHOWN_LINES = 60

/** Undefined if the input is not what that tool takes. */
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

function editText(edit: JsonObject): string {
  return lines(marked('-', edit['old_string']), marked('+', edit['new_string']))
}

function marked(mark: '+' | '-', value: unknown): string | undefined {
  const all = textOf(value)?.replace(/\n$/, '')
  if (all === undefined) return undefined
  const { shown, hidden } = firstLines(all, MAX_SHOWN_LINES)
  return lines(
    ...shown.map((line) => `${mark} ${line}`),
    hidden > 0 ? `… ${hidden} more lines` : undefined,
  )
}
