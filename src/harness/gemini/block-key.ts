import { resolve } from 'node:path'
import { type JsonObject, objectOf, textOf } from '../config-edit/json-value.ts'

/**
 * The name of a permission, the same for the dialog's details and for its tool: Gemini CLI gives neither an id.
 * Undefined if the dialog does not identify its tool.
 */
export function dialogKey(details: JsonObject, cwd: string | undefined): string | undefined {
  switch (details['type']) {
    case 'exec':
      return keyOf('exec', textOf(details['command']))
    case 'edit':
      return keyOf('edit', pathOf(details['filePath'], cwd))
    case 'mcp':
      return keyOf('mcp', textOf(details['serverName']), textOf(details['toolName']))
    case 'ask_user':
    case 'exit_plan_mode':
      return dialogOf(details['type'])
    default:
      return undefined
  }
}

export function toolKey(tool: string, payload: JsonObject, cwd: string | undefined): string {
  const input = objectOf(payload['tool_input'])
  const mcp = objectOf(payload['mcp_context'])
  const key =
    (tool === 'run_shell_command' && keyOf('exec', textOf(input['command']))) ||
    (EDITORS.has(tool) && keyOf('edit', pathOf(input['file_path'], cwd))) ||
    keyOf('mcp', textOf(mcp['server_name']), textOf(mcp['tool_name']))
  return key || `tool ${tool}`.slice(0, MAX_KEY_CHARS)
}

/** The dialog does not contain the question: an earlier hook has it in the tool's input. */
export function dialogOf(tool: string): string {
  return `dialog ${tool}`
}

const EDITORS = new Set(['replace', 'write_file'])
const MAX_KEY_CHARS = 400

function keyOf(kind: string, ...parts: (string | undefined)[]): string | undefined {
  if (parts.some((part) => part === undefined)) return undefined
  return [kind, ...parts].join(' ').slice(0, MAX_KEY_CHARS)
}

function pathOf(path: unknown, cwd: string | undefined): string | undefined {
  const text = textOf(path)
  return text === undefined ? undefined : resolve(cwd ?? '/', text)
}
