import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type JsonNode, memberOf, parseJsonText } from '../../harness/edit/json-text.ts'
import type { HookManner } from '../../harness/hooks/hook-edit.ts'
import { hookedEvents } from './hooked-events.ts'
import { inFile, readSettings } from './settings-file.ts'

/** A harness whose hooks are in one settings file of the operator's. */
export type HookSettings = {
  manner: HookManner
  events: readonly string[]
  /** Where it has them. */
  path(env: NodeJS.ProcessEnv): string
  /** Settings under which our hooks are not run, as sentences. A file that cannot be read says nothing. */
  obstacles(env: NodeJS.ProcessEnv): string[]
}

/** Whether there is anything to wire: it has a directory, or could be started. */
export function isInUse({ manner, path }: HookSettings, env: NodeJS.ProcessEnv): boolean {
  if (existsSync(join(path(env), '..'))) return true
  const dirs = (env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return dirs.some((dir) => existsSync(join(dir, manner.harness)))
}

/** The emitter that each event runs. Throws `BAD_USAGE` for a file that cannot be read. */
export function ourHooksIn(path: string, { harness, title, ...manner }: HookManner) {
  return hookedEvents(path, harness, title, manner)
}

/** What the file has under this name, and nothing where it cannot be read. */
export function settingIn(path: string, key: string, manner: HookManner): JsonNode | undefined {
  try {
    const { text } = readSettings(path)
    const root = inFile(path, manner.title, () => parseJsonText(text ?? '', manner))
    return memberOf(root, key)?.value
  } catch {
    return undefined
  }
}

export function scalarOf(node: JsonNode | undefined): unknown {
  return node?.kind === 'scalar' ? node.value : undefined
}
