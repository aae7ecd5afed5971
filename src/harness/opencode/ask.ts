import type { Ask } from '../../core/session/event.ts'
import { truncate } from '../../core/text.ts'
import {
  askAbout,
  diffText,
  INTERRUPTED_BY_OPERATOR,
  lines,
  plainAsk,
  questionsText,
  type Wanted,
} from '../adapter/ask-text.ts'
import { type JsonObject, listOf, objectOf, textOf } from '../config-edit/json-value.ts'

/** What a human must know to answer: the kind of permission, what it is for, and the tool's details. */
export function permissionAsk(asked: JsonObject): Ask {
  const permission = truncate(textOf(asked['permission']) ?? 'permission', 200)
  const metadata = objectOf(asked['metadata'])
  const patterns = listOf(asked['patterns']).flatMap((pattern) => textOf(pattern) ?? [])
  return askAbout(permission, metadata, permissionText(permission, metadata, patterns))
}

export function questionWanted(questions: unknown): Wanted {
  const asked = listOf(questions).map((question) => {
    const fields = objectOf(question)
    return { ...fields, multiSelect: fields['multiple'] === true }
  })
  return { ask: plainAsk(questionsText(asked) ?? 'Asks you something.'), label: 'asks' }
}

/** opencode reports an interrupt as an error of the turn. */
export function turnError(error: JsonObject): Wanted {
  if (error['name'] === 'MessageAbortedError') return INTERRUPTED_BY_OPERATOR
  const message = textOf(error['message']) ?? textOf(error['name']) ?? 'unknown'
  return { ask: plainAsk(`API error: ${message}`), label: 'error' }
}

function permissionText(
  permission: string,
  metadata: JsonObject,
  patterns: readonly string[],
): string | undefined {
  const about = patterns.join('\n')
  switch (permission) {
    case 'bash':
      return textOf(metadata['command']) ?? textOf(about)
    case 'edit':
      return lines(
        `Edit ${textOf(metadata['filepath']) ?? patterns.join(', ')}`,
        diffText(metadata['diff']),
      )
    case 'webfetch':
      return `Fetch ${textOf(metadata['url']) ?? about}`
    case 'external_directory':
      return `Use files outside of the project: ${about}`
    case 'doom_loop':
      return `Go on after the same call several times: ${about}`
    default:
      return about === '' ? undefined : `${permission} ${about}`
  }
}
