import { resolve } from 'node:path'
import { canonicalJson, listOf, objectOf, textOf } from '../config-edit/json-value.ts'

/**
 * Names a permission so that every source uses the same name: the hook that asks (which has no
 * tool_use_id), the hook after the tool ran, and the transcript. Their inputs are not equal (2.1.325):
 * - the order of keys differs;
 * - the hooks make a relative file_path absolute, the transcript does not;
 * - PostToolUse of AskUserQuestion gains `answers` and `annotations`, that of ExitPlanMode loses `plan`;
 * - the human may edit a proposed file or plan before accepting it.
 * So each tool is named by what does not change. Two prompts of one name never wait at the same time: a thread
 * asks for them one after the other.
 */
export function blockKey(tool: string, input: unknown, cwd?: string): string {
  const identity = identityOf(tool, input, cwd)
  const name = tool.length > MAX_CHARS ? `#${shortHash(tool)}` : tool
  if (identity === '') return name
  return `${name}:${identity.length > MAX_CHARS ? `#${shortHash(identity)}` : identity}`
}

/** Its result contains neither the message nor, for a form, an id: only the server is in both. */
export function elicitationKey(server: string, id: string | undefined): string {
  return blockKey('elicitation', [id ?? server])
}

const MAX_CHARS = 80

const COMMAND_TOOLS = new Set(['Bash', 'PowerShell'])
const PATH_FIELDS: Readonly<Record<string, string>> = {
  Read: 'file_path',
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
}

function identityOf(tool: string, input: unknown, cwd: string | undefined): string {
  const fields = objectOf(input)
  if (tool === 'ExitPlanMode') return ''
  if (tool === 'AskUserQuestion') {
    return canonicalJson(listOf(fields['questions']).map((asked) => objectOf(asked)['question']))
  }
  if (COMMAND_TOOLS.has(tool)) return textOf(fields['command']) ?? canonicalJson(input)
  const pathField = Object.hasOwn(PATH_FIELDS, tool) ? PATH_FIELDS[tool] : undefined
  const path = pathField && textOf(fields[pathField])
  if (!path) return canonicalJson(input)
  return path.startsWith('/') || cwd ? resolve('/', cwd ?? '', path) : path
}

/** cyrb53 (bryc, public domain): 53 bits, enough to distinguish the prompts of one session. */
function shortHash(text: string): string {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(16).padStart(14, '0')
}
