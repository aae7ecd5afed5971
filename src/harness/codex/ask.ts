import type { Ask } from '../../core/session/event.ts'
import { askAbout, lines, plainAsk, questionsText, type Wanted } from '../adapter/ask-text.ts'
import { listOf, objectOf, textOf } from '../config-edit/json-value.ts'
import { commandOf, PATCH } from './block-key.ts'

/** What a human must know to answer a tool's permission prompt. */
export function toolAsk(tool: string, input: unknown): Ask {
  return askAbout(tool, input, toolText(tool, input))
}

/** The same with the kind of wait: a question is more than a permission. */
export function toolWanted(tool: string, input: unknown): Wanted {
  return { ask: toolAsk(tool, input), ...(tool === QUESTION_TOOL && { label: 'asks' as const }) }
}

/** The message of a failed turn, in Codex's own words. */
export function turnError(message: string | undefined): Wanted {
  const text = message ? `Error: ${messageIn(message) ?? message}` : 'The turn ended with an error.'
  return { ask: plainAsk(text), label: 'error' }
}

/** An API's answer may be shown verbatim. */
function messageIn(text: string): string | undefined {
  try {
    return textOf(objectOf(objectOf(JSON.parse(text))['error'])['message'])
  } catch {
    return undefined
  }
}

/** It always waits for the human. */
export const QUESTION_TOOL = 'request_user_input'

function toolText(tool: string, input: unknown): string | undefined {
  const fields = objectOf(input)
  if (tool === QUESTION_TOOL) return questionsText(listOf(fields['questions']))
  const command = commandOf(fields)
  if (command === undefined) return undefined
  const [patch] = PATCH.exec(command) ?? []
  const why = textOf(fields['description']) ?? textOf(fields['justification'])
  return lines(patch === undefined ? command : patchText(patch), why)
}

/** Without the first and last line, which every patch has. */
function patchText(patch: string): string {
  const shown = patch.split('\n').slice(1, -1)
  return lines(...shown.map((line) => line.replace(/^\*\*\* (?=(?:Add|Update|Delete) File: )/, '')))
}
