import { createHash } from 'node:crypto'
import { applyEdits, type TextEdit } from '../../config-edit/json-edit.ts'
import { canonicalJson, listOf, objectOf, textOf } from '../../config-edit/json-value.ts'
import { requireRoomFor } from '../../config-edit/toml-names.ts'
import { parseTomlText, type TomlTable } from '../../config-edit/toml-text.ts'
import { emitterIn } from '../../hook-install/emitter-command.ts'
import { HARNESS } from './name.ts'

/**
 * Codex runs a hook only if its user trusts it: by a hash in `config.toml`, under the place of the hook
 * (0.166.0). It skips other hooks in `codex exec`, and asks about them at its start. Whoever installs our hooks
 * has agreed to them, so we write their hashes, too.
 */
export type HookTrust = {
  /** The place of the hook; the file alone stands for every place in it. */
  key: string
  hash: string
}

/** The trust entries of our hooks in the text of `hooks.json`. `source` is its path as Codex knows it. */
export function trustOf(source: string, hooksText: string): HookTrust[] {
  const json: unknown = JSON.parse(hooksText.replace(/^\ufeff/, '').trim() || '{}')
  const hooks = objectOf(objectOf(json)['hooks'])
  return Object.keys(hooks).flatMap((event) =>
    listOf(hooks[event]).flatMap((group, groupIndex) =>
      listOf(objectOf(group)['hooks']).flatMap((given, index) => {
        const hook = objectOf(given)
        if (emitterIn(textOf(hook['command']) ?? '', HARNESS) === undefined) return []
        const key = `${source}:${snakeCase(event)}:${groupIndex}:${index}`
        return [{ key, hash: hashOf(event, objectOf(group)['matcher'], hook) }]
      }),
    ),
  )
}

/**
 * `text` undefined means that there is no file yet; `before` is the text before our change, `former` the
 * earlier trust entries of our hooks. Entries at places without such a hook are removed. Idempotent.
 */
export function addTrust(
  text: string | undefined,
  trusted: readonly HookTrust[],
  { before, former = [] }: { before?: string | undefined; former?: readonly HookTrust[] } = {},
): string {
  const keys = new Set(trusted.map(({ key }) => key))
  const known = [...trusted, ...former]
  const current = takeOut(
    text ?? '',
    before,
    (state) => isOurs(state, known) && !keys.has(state.key),
  )
  const states = addableStatesIn(current)
  const edits = trusted.flatMap(({ key, hash }): TextEdit[] => {
    const state = states.find((one) => one.key === key)
    if (!state || state.hash === hash) return []
    if (state.value) return [{ ...state.value, text: JSON.stringify(hash) }]
    const { body } = state.table
    return [{ start: body, end: body, text: hashLine(hash, eolOf(current)) }]
  })
  const missing = trusted.filter(({ key }) => !states.some((state) => state.key === key))
  return withTables(applyEdits(current, edits), missing)
}

/** Undefined if nothing is left of a file created for it. */
export function removeTrust(
  text: string,
  trusted: readonly HookTrust[],
  before: string | undefined,
): string | undefined {
  const rest = takeOut(text, before, (state) => isOurs(state, trusted))
  if (rest === text) return text
  if (before === undefined) return rest.trim() === '' ? undefined : rest
  return rest.trimEnd() === before.trimEnd() ? before : rest
}

export function hasTrust(text: string, trusted: readonly HookTrust[]): boolean {
  return statesIn(text).some((state) => isOurs(state, trusted))
}

/** The keys of the hooks that Codex would not run. */
export function untrusted(text: string, trusted: readonly HookTrust[]): string[] {
  const states = addableStatesIn(text)
  const runs = ({ key, hash }: HookTrust) =>
    states.some((state) => state.key === key && state.hash === hash && !state.isOff)
  return trusted.filter((one) => !runs(one)).map(({ key }) => key)
}

type Span = { start: number; end: number }
type State = {
  key: string
  hash: string | undefined
  /** The place of the hash in the text. */
  value: Span | undefined
  isOff: boolean
  table: TomlTable
}

/** Throws `BAD_USAGE` if the file has them in a form that we cannot add to. */
function addableStatesIn(text: string): State[] {
  const hint = 'Write it as tables: [hooks.state."…"]. Nothing was changed.'
  requireRoomFor(text, parseTomlText(text), STATE, hint)
  return statesIn(text)
}

/** Throws `BAD_USAGE` if the file cannot be parsed. */
function statesIn(text: string): State[] {
  const tables = parseTomlText(text)
  return tables.flatMap((table) => {
    const [first, second, key, ...rest] = table.path
    if (first !== STATE[0] || second !== STATE[1] || key === undefined || rest.length > 0) return []
    const spanOf = (name: string) =>
      table.pairs.find(({ path }) => path.length === 1 && path[0] === name)?.value
    const value = spanOf('trusted_hash')
    const enabled = spanOf('enabled')
    return [
      {
        key,
        value,
        hash: value && text.slice(value.start + 1, value.end - 1),
        isOff: enabled !== undefined && text.slice(enabled.start, enabled.end) === 'false',
        table,
      },
    ]
  })
}

const STATE = ['hooks', 'state']

/** At the place of one of ours, or with the hash of one at another place of the same file. */
function isOurs({ key, hash }: State, trusted: readonly HookTrust[]): boolean {
  return trusted.some(
    (one) => one.key === key || (one.hash === hash && fileOf(one.key) === fileOf(key)),
  )
}

function fileOf(key: string): string {
  return key.replace(/:[a-z_]+:\d+:\d+$/, '')
}

/** Removes these tables and restores the original ones. */
function takeOut(
  text: string,
  before: string | undefined,
  isDoomed: (state: State) => boolean,
): string {
  const was = before === undefined ? [] : statesBefore(before)
  return applyEdits(
    text,
    statesIn(text)
      .filter(isDoomed)
      .map((state) => {
        const earlier = was.find(({ key }) => key === state.key)
        if (earlier?.hash === undefined || !state.value) return withBlankLine(text, state.table)
        return { ...state.value, text: JSON.stringify(earlier.hash) }
      }),
  )
}

function statesBefore(before: string): State[] {
  try {
    return statesIn(before)
  } catch {
    return []
  }
}

/** A table and the empty line that we added above it. */
function withBlankLine(text: string, { start, end }: TomlTable): TextEdit {
  const [blank = ''] = /(?<=^|\n)\r?\n$/.exec(text.slice(0, start)) ?? []
  return { start: start - blank.length, end, text: '' }
}

function withTables(text: string, trusted: readonly HookTrust[]): string {
  const eol = eolOf(text)
  return trusted.reduce((all, { key, hash }) => {
    const gap = all === '' || all === '\ufeff' ? '' : all.endsWith('\n') ? eol : eol + eol
    return `${all}${gap}[hooks.state.${JSON.stringify(key)}]${eol}${hashLine(hash, eol)}`
  }, text)
}

function hashLine(hash: string, eol: string): string {
  return `trusted_hash = ${JSON.stringify(hash)}${eol}`
}

function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n'
}

/** Normalizes a hook as Codex does before it computes the hash: missing fields get their default. */
function hashOf(event: string, matcher: unknown, hook: Readonly<Record<string, unknown>>): string {
  const isBrief = event === 'SessionEnd' || event === 'Interrupt'
  const given = typeof hook['timeout'] === 'number' ? hook['timeout'] : isBrief ? 1 : 600
  const normalized = {
    type: 'command',
    command: hook['command'],
    timeout: isBrief ? Math.min(given, 3) : given,
    async: hook['async'] === true,
    ...(textOf(hook['statusMessage']) && { statusMessage: hook['statusMessage'] }),
  }
  const identity = {
    event_name: snakeCase(event),
    hooks: [normalized],
    ...(typeof matcher === 'string' && { matcher }),
  }
  return `sha256:${createHash('sha256').update(canonicalJson(identity)).digest('hex')}`
}

function snakeCase(event: string): string {
  return event.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
