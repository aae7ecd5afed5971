import { parseJsonText } from '../edit/json-text.ts'
import { emitterIn } from '../hooks/emitter-command.ts'
import { fieldsLacking, type HookManner } from '../hooks/hook-edit.ts'
import { findOurHooks } from '../hooks/hook-search.ts'
import { inFile } from './settings.ts'
import type { Site } from './wiring.ts'

/** What a hook of ours runs, and which of the needed fields it lacks. */
export type Hooked = { program: string; lacking: readonly string[] }

/** Our hooks in this file by their events. Throws `BAD_USAGE` for a file that cannot be read. */
export function hookedEvents(site: Site, path: string, manner: HookManner): Map<string, Hooked> {
  const { harness, title } = manner
  const text = site.read(path) ?? ''
  const root = inFile(path, title, () => parseJsonText(text, manner))
  const hooks = root === undefined ? [] : findOurHooks(root, harness)
  return new Map(
    hooks.map(({ event, hook, command }) => {
      const program = emitterIn(command.value, harness)?.program ?? ''
      return [event, { program, lacking: fieldsLacking(hook, manner.needed) }]
    }),
  )
}
