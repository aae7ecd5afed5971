import { TrailBossError } from '../../core/errors.ts'
import { displayLine } from '../../core/text.ts'
import { placeIn } from './json-text.ts'
import { requireDistinctNames, requireDistinctPairs } from './toml-names.ts'

/**
 * TOML as text: the place of each table and each pair, so that a change can leave every other byte alone. It
 * does not interpret values.
 */

type Span = {
  start: number
  /** Just after its last character. */
  end: number
}

/** `key = value`, from the start of the key to the end of the value. */
export type TomlPair = Span & {
  path: string[]
  value: Span
  /** The pairs between the braces, if the value is an inline table. */
  inline: TomlPair[] | undefined
}

/** A header and its pairs; the first one of a file has no header. */
export type TomlTable = Span & {
  path: string[]
  /** `[[…]]`: one of a list. */
  isItem: boolean
  /** Just after the header's line, where the first pair may stand. */
  body: number
  pairs: TomlPair[]
}

/** Throws `BAD_USAGE` with the place and the problem. */
export function parseTomlText(text: string): [root: TomlTable, ...tables: TomlTable[]] {
  const cursor = { text, at: text.startsWith('\ufeff') ? 1 : 0, depth: 0 }
  const start = cursor.at
  let table: TomlTable = { path: [], isItem: false, start, end: start, body: start, pairs: [] }
  const tables: [TomlTable, ...TomlTable[]] = [table]
  for (skipBlank(cursor); cursor.at < text.length; skipBlank(cursor)) {
    if (text[cursor.at] === '[') {
      table = readHeader(cursor)
      tables.push(table)
    } else {
      table.pairs.push(readPair(cursor))
      table.end = endLine(cursor)
    }
  }
  requireDistinctNames(text, tables)
  return tables
}

export function hasPath(path: readonly string[], wanted: readonly string[]): boolean {
  return path.length === wanted.length && path.every((part, index) => part === wanted[index])
}

const MAX_DEPTH = 200

type Cursor = { readonly text: string; at: number; depth: number }

function readHeader(cursor: Cursor): TomlTable {
  const start = cursor.at
  const isItem = cursor.text.startsWith('[[', start)
  cursor.at += isItem ? 2 : 1
  skipSpace(cursor)
  const path = readKey(cursor)
  const close = isItem ? ']]' : ']'
  if (!cursor.text.startsWith(close, cursor.at)) {
    fail(cursor, `a ${close} is missing here: ${found(cursor)}`)
  }
  cursor.at += close.length
  const end = endLine(cursor)
  return { path, isItem, start, end, body: end, pairs: [] }
}

function readPair(cursor: Cursor): TomlPair {
  const start = cursor.at
  const path = readKey(cursor)
  if (cursor.text[cursor.at] !== '=') fail(cursor, `a = is missing after the key: ${found(cursor)}`)
  cursor.at++
  skipSpace(cursor)
  const value = { start: cursor.at, end: cursor.at }
  const inline = skipValue(cursor)
  value.end = cursor.at
  return { path, value, inline, start, end: cursor.at }
}

/** Includes the white space behind it. */
function readKey(cursor: Cursor): string[] {
  const path: string[] = []
  for (;;) {
    path.push(readKeyPart(cursor))
    skipSpace(cursor)
    if (cursor.text[cursor.at] !== '.') return path
    cursor.at++
    skipSpace(cursor)
  }
}

function readKeyPart(cursor: Cursor): string {
  const quote = cursor.text[cursor.at]
  if (quote === '"' || quote === "'") {
    const start = cursor.at + 1
    skipString(cursor, quote)
    const inner = cursor.text.slice(start, cursor.at - 1)
    return quote === '"' ? unescaped(inner) : inner
  }
  const [bare = ''] = matchAt(BARE_KEY, cursor) ?? []
  if (bare === '') fail(cursor, `a key belongs here, but ${found(cursor)}`)
  cursor.at += bare.length
  return bare
}

/** Returns the pairs of an inline table. */
function skipValue(cursor: Cursor): TomlPair[] | undefined {
  const { text, at } = cursor
  const quote = text[at]
  if (quote === '"' || quote === "'") {
    const long = quote.repeat(3)
    if (text.startsWith(long, at)) skipLongString(cursor, long)
    else skipString(cursor, quote)
  } else if (quote === '[') {
    skipList(cursor, ']', skipValue)
  } else if (quote === '{') {
    const pairs: TomlPair[] = []
    skipList(cursor, '}', () => pairs.push(readPair(cursor)))
    requireDistinctPairs(text, pairs)
    return pairs
  } else {
    const [word = ''] = matchAt(SCALAR, cursor) ?? []
    if (word === '') fail(cursor, `a value belongs here, but ${found(cursor)}`)
    cursor.at += word.length
  }
  return undefined
}

function skipList(cursor: Cursor, close: ']' | '}', skipOne: (cursor: Cursor) => unknown): void {
  if (++cursor.depth > MAX_DEPTH) fail(cursor, `it is nested more than ${MAX_DEPTH} deep`)
  cursor.at++
  skipBlank(cursor)
  while (cursor.text[cursor.at] !== close) {
    skipOne(cursor)
    skipBlank(cursor)
    if (cursor.text[cursor.at] === close) break
    if (cursor.text[cursor.at] !== ',') {
      fail(cursor, `a comma or a ${close} is missing here: ${found(cursor)}`)
    }
    cursor.at++
    skipBlank(cursor)
  }
  cursor.at++
  cursor.depth--
}

function skipString(cursor: Cursor, quote: '"' | "'"): void {
  const { text, at: start } = cursor
  let end = start + 1
  while (end < text.length && text[end] !== quote && text[end] !== '\n') {
    end += quote === '"' && text[end] === '\\' ? 2 : 1
  }
  if (text[end] !== quote) fail(cursor, 'a text begins here and has no closing quote on its line')
  cursor.at = end + 1
}

/** Up to two quotes may precede the closing ones. */
function skipLongString(cursor: Cursor, quotes: string): void {
  const { text, at: start } = cursor
  let end = start + 3
  while (end < text.length && !text.startsWith(quotes, end)) {
    end += quotes === '"""' && text[end] === '\\' ? 2 : 1
  }
  if (end >= text.length) fail(cursor, `a text begins here and has no closing ${quotes}`)
  end += 3
  for (let more = 0; more < 2 && text[end] === quotes[0]; more++) end++
  cursor.at = end
}

/** A statement ends its line, except for a comment. Returns where the next line begins. */
function endLine(cursor: Cursor): number {
  skipSpace(cursor)
  if (cursor.text[cursor.at] === '#') skipComment(cursor)
  const [lineEnd] = matchAt(LINE_END, cursor) ?? []
  if (lineEnd === undefined && cursor.at < cursor.text.length) {
    fail(cursor, `the line should end here, but ${found(cursor)}`)
  }
  cursor.at += lineEnd?.length ?? 0
  return cursor.at
}

function skipBlank(cursor: Cursor): void {
  for (;;) {
    const [space = ''] = matchAt(BLANK, cursor) ?? []
    cursor.at += space.length
    if (cursor.text[cursor.at] !== '#') return
    skipComment(cursor)
  }
}

function skipSpace(cursor: Cursor): void {
  const [space = ''] = matchAt(SPACE, cursor) ?? []
  cursor.at += space.length
}

function skipComment(cursor: Cursor): void {
  const end = cursor.text.indexOf('\n', cursor.at)
  cursor.at = end === -1 ? cursor.text.length : end
}

const BARE_KEY = /[\w-]+/y
const SPACE = /[ \t]*/y
const BLANK = /[ \t\r\n]*/y
const LINE_END = /\r?\n/y
/** Numbers, times and booleans; a date and a time may have a blank between them. */
const SCALAR =
  /(?:true|false|[+-]?(?:inf|nan)|\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d[\d:.]*(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d[\d:.]*|[+-]?\d[\w.+]*(?:[eE]-\d+)?)(?=[\s,\]}#]|$)/y

function matchAt(pattern: RegExp, { text, at }: Cursor): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const ESCAPED: Record<string, string> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\x1b',
  '"': '"',
  '\\': '\\',
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/g, (all, short, long, one) => {
    const code = Number.parseInt(short ?? long ?? '', 16)
    if (code <= 0x10ffff) return String.fromCodePoint(code)
    return ESCAPED[String(one)] ?? all
  })
}

function found({ text, at }: Cursor): string {
  const rest = text.slice(at, at + 40)
  if (rest === '') return 'the file ends'
  if (/^\r?\n/.test(rest)) return 'the line ends'
  const shown = displayLine(/^[\w.+-]+|^./su.exec(rest)?.[0] ?? '')
  return shown === '' ? 'there is an invisible character' : `there is ${shown}`
}

function fail({ text, at }: Cursor, problem: string): never {
  throw new TrailBossError('BAD_USAGE', `${placeIn(text, at)}: ${problem}.`)
}
