import { applyEdits, type TextEdit } from '../../config-edit/json-edit.ts'
import { requireRoomFor } from '../../config-edit/toml-names.ts'
import {
  hasPath,
  parseTomlText,
  type TomlPair,
  type TomlTable,
} from '../../config-edit/toml-text.ts'

/**
 * Codex runs the sessions of all its terminals in one shared daemon, unless `config.toml` says otherwise. Hooks
 * then have the pane of whoever started the daemon, and a session outlives its pane. We add a comment to what
 * we write there, so that we find it again.
 */
export type DaemonSetting = 'on' | 'off' | 'off by us'

export function daemonSetting(text: string): DaemonSetting {
  const places = placesIn(text)
  if (!places.pair || valueText(text, places.pair) !== 'false') return 'on'
  return markIn(text, places) ? 'off by us' : 'off'
}

/** `text` undefined means that there is no file yet. Idempotent. */
export function switchDaemonOff(text = ''): string {
  if (daemonSetting(text) !== 'on') return text
  const { tables, pair, inline, table, dotted } = placesIn(text)
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  if (pair) {
    const mark = `${MARK}, was ${valueText(text, pair)}`
    const { end } = (inline ?? pair).value
    return applyEdits(text, [
      { ...pair.value, text: 'false' },
      { start: end, end, text: mark },
    ])
  }
  if (inline) return inBraces(text, inline)
  const line = `${KEY} = false${MARK}, was unset${eol}`
  if (table) {
    const isOpen = !text.slice(0, table.body).endsWith('\n')
    return inserted(text, table.body, (isOpen ? eol : '') + line)
  }
  if (dotted) return inserted(text, dotted.start, `${FEATURES}.${line}`)
  requireRoomFor(text, tables, [FEATURES], 'Write it as a table: [features]. Nothing was changed.')
  const gap = text === '' || text === '\ufeff' ? '' : text.endsWith('\n') ? eol : eol + eol
  return `${text}${gap}[${FEATURES}]${MARK}${eol}${line}`
}

/** Undefined if nothing is left of a file created for it. */
export function restoreDaemon(text: string, before: string | undefined): string | undefined {
  const places = placesIn(text)
  const mark = markIn(text, places)
  if (!places.pair || !mark) return text
  const rest = applyEdits(text, restoring(text, places.pair, places, mark))
  if (before === undefined) return rest.trim() === '' ? undefined : rest
  return rest.trimEnd() === before.trimEnd() ? before : rest
}

const FEATURES = 'features'
const KEY = 'daemon_auto_start'
const MARK = ' # by trailboss'

type Mark = { was: string; start: number; end: number }

/** A comment is only allowed after the braces. */
function inBraces(text: string, { inline = [], value }: TomlPair): string {
  const last = inline.at(-1)
  const at = last?.end ?? value.start + 1
  return applyEdits(text, [
    { start: at, end: at, text: `${last ? ', ' : ''}${KEY} = false` },
    { start: value.end, end: value.end, text: `${MARK}, was unset` },
  ])
}

function restoring(
  text: string,
  pair: TomlPair,
  { inline, table }: Places,
  mark: Mark,
): TextEdit[] {
  const unmarked = { start: mark.start, end: mark.end, text: '' }
  if (mark.was !== 'unset') return [{ ...pair.value, text: mark.was }, unmarked]
  if (inline) return [fromBraces(pair, inline), unmarked]
  const line = { start: pair.start, end: nextLine(text, mark.end), text: '' }
  const header = table && text.slice(table.start, table.body)
  const headerMark = header?.lastIndexOf(MARK) ?? -1
  if (!table || headerMark === -1) return [line]
  if (table.pairs.length > 1) {
    const start = table.start + headerMark
    return [{ start, end: start + MARK.length, text: '' }, line]
  }
  const [blank = ''] = /(?<=^|\n)\r?\n$/.exec(text.slice(0, table.start)) ?? []
  return [{ start: table.start - blank.length, end: table.end, text: '' }]
}

/** Includes the comma that separates it from its neighbour. */
function fromBraces(pair: TomlPair, { inline = [] }: TomlPair): TextEdit {
  const index = inline.indexOf(pair)
  const start = inline[index - 1]?.end ?? pair.start
  const end = index > 0 ? pair.end : (inline[1]?.start ?? pair.end)
  return { start, end, text: '' }
}

/** What our comment says about the earlier value, if the current one is ours. */
function markIn(text: string, { pair, inline }: Places): Mark | undefined {
  const start = (inline ?? pair)?.value.end ?? text.length
  const [all, was] = /^ # by trailboss, was ([^\s#]+)/.exec(text.slice(start)) ?? []
  return all === undefined || was === undefined
    ? undefined
    : { was, start, end: start + all.length }
}

function valueText(text: string, { value }: TomlPair): string {
  return text.slice(value.start, value.end)
}

type Places = {
  tables: TomlTable[]
  pair: TomlPair | undefined
  table: TomlTable | undefined
  /** `features = { … }`, which may contain the pair. */
  inline: TomlPair | undefined
  /** `features.… = …` at the top level, after which no table of that name is allowed. */
  dotted: TomlPair | undefined
}

/** Throws `BAD_USAGE` if the file cannot be parsed. */
function placesIn(text: string): Places {
  const [root, ...tables] = parseTomlText(text)
  const inline = root.pairs.find((pair) => pair.inline && hasPath(pair.path, [FEATURES]))
  const table = tables.find(({ path, isItem }) => !isItem && hasPath(path, [FEATURES]))
  const dotted = root.pairs.filter(({ path }) => path[0] === FEATURES && path.length === 2)
  const pair =
    [...(table?.pairs ?? []), ...(inline?.inline ?? [])].find(({ path }) => hasPath(path, [KEY])) ??
    dotted.find(({ path }) => path[1] === KEY)
  return { tables: [root, ...tables], pair, table, inline, dotted: dotted[0] }
}

function inserted(text: string, at: number, added: string): string {
  return applyEdits(text, [{ start: at, end: at, text: added }])
}

function nextLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end + 1
}
