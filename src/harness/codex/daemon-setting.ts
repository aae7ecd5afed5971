import { TrailBossError } from '../../core/errors.ts'
import { applyEdits, type TextEdit } from '../json-edit.ts'
import { placeIn } from '../json-text.ts'
import { parseTomlText, type TomlPair, type TomlTable } from '../toml-text.ts'

/**
 * Codex runs the sessions of all its terminals in one shared daemon, unless `config.toml` says
 * otherwise. Hooks then have the pane of whoever started the daemon, and a session outlives its pane.
 * What we write there has a comment, by which it is found again.
 */
export type DaemonSetting = 'on' | 'off' | 'off by us'

export function daemonSetting(text: string): DaemonSetting {
  const { pair } = placesIn(text)
  if (!pair || text.slice(pair.value.start, pair.value.end) !== 'false') return 'on'
  return markAfter(text, pair) === undefined ? 'off' : 'off by us'
}

/** `text` undefined means that there is no file yet. Idempotent. */
export function switchDaemonOff(text = ''): string {
  if (daemonSetting(text) !== 'on') return text
  const { pair, table, dotted } = placesIn(text)
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  if (pair) {
    const was = text.slice(pair.value.start, pair.value.end)
    return applyEdits(text, [{ ...pair.value, text: `false${MARK}, was ${was}` }])
  }
  const line = `${KEY} = false${MARK}, was unset${eol}`
  if (table) {
    const isOpen = !text.slice(0, table.body).endsWith('\n')
    return inserted(text, table.body, (isOpen ? eol : '') + line)
  }
  if (dotted) return inserted(text, dotted.start, `${FEATURES}.${line}`)
  const gap = text === '' || text === '\ufeff' ? '' : text.endsWith('\n') ? eol : eol + eol
  return `${text}${gap}[${FEATURES}]${MARK}${eol}${line}`
}

/** Undefined when nothing is left of a file that was made for it. */
export function restoreDaemon(text: string, before: string | undefined): string | undefined {
  const { pair, table } = placesIn(text)
  const mark = pair && markAfter(text, pair)
  if (!pair || !mark) return text
  const rest = applyEdits(text, restoring(text, pair, table, mark))
  if (before === undefined) return rest.trim() === '' ? undefined : rest
  return rest.trimEnd() === before.trimEnd() ? before : rest
}

const FEATURES = 'features'
const KEY = 'daemon_auto_start'
const MARK = ' # by trailboss'

type Mark = { was: string; end: number }

function restoring(
  text: string,
  pair: TomlPair,
  table: TomlTable | undefined,
  { was, end }: Mark,
): TextEdit[] {
  if (was !== 'unset') return [{ start: pair.value.start, end, text: was }]
  const line = { start: pair.start, end: nextLine(text, end), text: '' }
  const header = table && text.slice(table.start, table.body)
  const mark = header?.lastIndexOf(MARK) ?? -1
  if (!table || mark === -1) return [line]
  if (table.pairs.length > 1) {
    const start = table.start + mark
    return [{ start, end: start + MARK.length, text: '' }, line]
  }
  const [blank = ''] = /(?<=^|\n)\r?\n$/.exec(text.slice(0, table.start)) ?? []
  return [{ start: table.start - blank.length, end: table.end, text: '' }]
}

/** What it says of the value from before, where the value is ours. */
function markAfter(text: string, { value }: TomlPair): Mark | undefined {
  const [all, was] = /^ # by trailboss, was ([^\s#]+)/.exec(text.slice(value.end)) ?? []
  return all === undefined || was === undefined ? undefined : { was, end: value.end + all.length }
}

/** Throws `BAD_USAGE` for a file that cannot be read, or that has it in a form that cannot be added to. */
function placesIn(text: string): {
  pair: TomlPair | undefined
  table: TomlTable | undefined
  /** `features.… = …` at the top level, after which there may be no table of that name. */
  dotted: TomlPair | undefined
} {
  const [root, ...tables] = parseTomlText(text)
  const inline = root.pairs.find(({ path, isInline }) => path.join('.') === FEATURES && isInline)
  if (inline) {
    throw new TrailBossError(
      'BAD_USAGE',
      `${placeIn(text, inline.start)}: features is written in braces, to which nothing is added here.`,
      { hint: `Add it by hand: ${KEY} = false` },
    )
  }
  const table = tables.find(({ path }) => path.length === 1 && path[0] === FEATURES)
  const dotted = root.pairs.filter(({ path }) => path[0] === FEATURES && path.length === 2)
  const pair =
    table?.pairs.find(({ path }) => path.length === 1 && path[0] === KEY) ??
    dotted.find(({ path }) => path[1] === KEY)
  return { pair, table, dotted: dotted[0] }
}

function inserted(text: string, at: number, added: string): string {
  return applyEdits(text, [{ start: at, end: at, text: added }])
}

function nextLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end + 1
}
