import { createHash } from 'node:crypto'
import { canonicalJson, listOf, objectOf, textOf } from '../config-edit/json-value.ts'

/**
 * Names a permission so that every source uses the same name: the hook that asks (which has no tool_use_id),
 * the hook after the tool ran, and the rollout. They call the same thing by different names (0.166.0): a
 * command is `Bash` with `command` in the hooks, and `exec_command` with `cmd` in the rollout; a patch is asked
 * for as `apply_patch`, but a command that contains it may have started it.
 */
export function blockKey(tool: string, input: unknown): string {
  const fields = objectOf(input)
  const command = commandOf(fields)
  if (command !== undefined && (COMMAND_TOOLS.has(tool) || PATCH.test(command))) {
    const [patch] = PATCH.exec(command) ?? []
    return patch === undefined ? keyOf('command', command) : keyOf('patch', patch)
  }
  if (tool === 'request_user_input') {
    const questions = listOf(fields['questions']).map((asked) => objectOf(asked)['question'])
    return keyOf('question', canonicalJson(questions))
  }
  return keyOf(tool, canonicalJson(input))
}

/** The command in a tool's input, whatever the field is called; a list is the arguments of a shell. */
export function commandOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  const given = fields['command'] ?? fields['cmd'] ?? fields['input']
  if (Array.isArray(given)) return textOf(given.at(-1))
  return textOf(given)
}

export const PATCH = /\*\*\* Begin Patch\n[\s\S]*?\*\*\* End Patch/

const COMMAND_TOOLS = new Set(['Bash', 'exec_command', 'shell', 'local_shell', 'shell_command'])
const MAX_CHARS = 80

function keyOf(name: string, identity: string): string {
  const [kind, what] = [name, identity].map((text) => (text.length > MAX_CHARS ? hash(text) : text))
  return `${kind}:${what}`
}

function hash(text: string): string {
  return `#${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}
