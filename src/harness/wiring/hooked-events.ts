import { parseJsonText } from '../config-edit/json-text.ts'
import { emitterIn } from '../hook-install/emitter-command.ts'
import { fieldsLacking, type HookFormat } from '../hook-install/hook-edit.ts'
import { findOurHooks } from '../hook-install/hook-search.ts'
import { inFile } from './settings.ts'
import type { Site } from './wiring.ts'

/** What a hook of ours runs, and which of the needed fields it lacks. */
export type Hooked = { program: string; lacking: readonly string[] }

/** Our hooks in this file by event. Throws `BAD_USAGE` if the file cannot be read. */
export function hookedEvents(site: Site, path: string, manner: HookFormat): Map<string, Hooked> {
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
