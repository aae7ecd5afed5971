import { parseJsonText } from '../../harness/edit/json-text.ts'
import { emitterIn } from '../../harness/hooks/emitter-command.ts'
import { findOurHooks } from '../../harness/hooks/hook-search.ts'
import { inFile, readSettings } from './settings-file.ts'

/** The emitter that each event runs by a hook of ours in this file; empty where there are none. */
export function hookedEvents(
  path: string,
  harness: string,
  title: string,
  { hasComments = false } = {},
): Map<string, string> {
  const { text } = readSettings(path)
  const root = inFile(path, title, () => parseJsonText(text ?? '', { hasComments }))
  const hooks = root === undefined ? [] : findOurHooks(root, harness)
  return new Map(
    hooks.map(({ event, command }) => [event, emitterIn(command.value, harness)?.program ?? '']),
  )
}
