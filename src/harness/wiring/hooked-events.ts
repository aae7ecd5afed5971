import { parseJsonText } from '../edit/json-text.ts'
import { emitterIn } from '../hooks/emitter-command.ts'
import type { HookManner } from '../hooks/hook-edit.ts'
import { findOurHooks } from '../hooks/hook-search.ts'
import { inFile } from './settings.ts'
import type { Site } from './wiring.ts'

/** The emitter that each event runs by a hook of ours in this file. Throws `BAD_USAGE` for one that cannot be read. */
export function hookedEvents(site: Site, path: string, manner: HookManner): Map<string, string> {
  const { harness, title } = manner
  const text = site.read(path) ?? ''
  const root = inFile(path, title, () => parseJsonText(text, manner))
  const hooks = root === undefined ? [] : findOurHooks(root, harness)
  return new Map(
    hooks.map(({ event, command }) => [event, emitterIn(command.value, harness)?.program ?? '']),
  )
}
