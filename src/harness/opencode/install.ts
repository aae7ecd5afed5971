import { TrailBossError } from '../../core/errors.ts'
import {
  append,
  applyEdits,
  commentsIn,
  empty,
  remove,
  styleOf,
  type TextEdit,
} from '../config-edit/json-edit.ts'
import {
  type JsonContainer,
  type JsonNode,
  memberOf,
  parseJsonText,
  placeIn,
} from '../config-edit/json-text.ts'

/** The line that names our plugin, in the text of a `tui.json` or `tui.jsonc`. Everything else stays as it is written. */

/** How that file names the plugin, relative to its own directory. */
export const PLUGIN_FILE = 'trailboss.js'
const SPEC = `./${PLUGIN_FILE}`

export function namesPlugin(text: string): boolean {
  return ourEntries(pluginsIn(parse(text))).length > 0
}

/** `text` undefined means that there is no file yet. Idempotent. */
export function addPlugin(text: string | undefined): string {
  const root = text === undefined ? undefined : parse(text)
  if (text === undefined || root === undefined) {
    return `{\n  "$schema": "https://opencode.ai/tui.json",\n  "plugin": ["${SPEC}"]\n}\n`
  }
  if (root.kind !== 'object') throw unfit(text, root, 'the settings are not an object')
  const style = styleOf(text, root)
  const twice = root.members.filter(({ key }) => key === 'plugin')[1]
  if (twice) throw unfit(text, twice, '"plugin" is there twice')
  const plugins = memberOf(root, 'plugin')?.value
  if (plugins === undefined) {
    return applyEdits(text, [append(text, root, [{ key: 'plugin', value: [SPEC] }], style)])
  }
  if (plugins.kind !== 'array') throw unfit(text, plugins, '"plugin" is not a list')
  if (ourEntries(plugins).length > 0) return text
  return applyEdits(text, [append(text, plugins, [{ value: SPEC }], style)])
}

/** Undefined if nothing is left of a file created for it: one without an original text in `before`. */
export function removePlugin(text: string, before: string | undefined): string | undefined {
  const root = parse(text)
  const plugins = pluginsIn(root)
  const ours = new Set<unknown>(ourEntries(plugins))
  if (root?.kind !== 'object' || plugins === undefined || ours.size === 0) return text
  if (before !== undefined && safelyAdded(before) === text) return before
  const isAlone = ours.size === plugins.items.length && commentsIn(text, plugins) === undefined
  if (!isAlone)
    return applyEdits(
      text,
      remove(text, plugins, (item) => ours.has(item)),
    )
  const others = root.members.filter(({ key }) => key !== 'plugin' && key !== '$schema')
  if (before === undefined && others.length === 0) return undefined
  return applyEdits(text, withoutList(text, root))
}

function withoutList(text: string, root: JsonContainer): TextEdit[] {
  const member = memberOf(root, 'plugin')
  const isOnly = root.kind === 'object' && root.members.length === 1
  if (isOnly && commentsIn(text, root) === undefined) return [empty(root, '')]
  return remove(text, root, (child) => child === member)
}

function pluginsIn(root: JsonNode | undefined): Extract<JsonNode, { kind: 'array' }> | undefined {
  const plugins = memberOf(root, 'plugin')?.value
  return plugins?.kind === 'array' ? plugins : undefined
}

/** With the user's own options it is theirs: `["./trailboss.js", {…}]`. */
function ourEntries(plugins: JsonNode | undefined): JsonNode[] {
  if (plugins?.kind !== 'array') return []
  return plugins.items.filter((item) => item.kind === 'scalar' && item.value === SPEC)
}

function parse(text: string): JsonNode | undefined {
  return parseJsonText(text, { hasComments: true })
}

/** Undefined if the original text cannot be parsed. */
function safelyAdded(before: string): string | undefined {
  try {
    return addPlugin(before)
  } catch {
    return undefined
  }
}

function unfit(text: string, at: { start: number }, what: string): TrailBossError {
  return new TrailBossError('BAD_USAGE', `${placeIn(text, at.start)}: ${what}.`, {
    hint: 'opencode does not take it. Correct it by hand.',
  })
}
