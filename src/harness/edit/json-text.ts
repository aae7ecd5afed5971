import { TrailBossError } from '../../core/errors.ts'
import { displayLine } from '../../core/text.ts'

/**
 * JSON as text: where in it each value stands, so that a change can leave every other byte alone.
 * Strict, as the programs are whose files these are: no trailing commas, and comments only where the
 * program takes them. A byte order mark is let be.
 */

type Span = {
  start: number
  /** Just after its last character. */
  end: number
}

export type JsonMember = Span & { key: string; value: JsonNode }

export type JsonNode = Span &
  (
    | { kind: 'object'; members: JsonMember[] }
    | { kind: 'array'; items: JsonNode[] }
    | { kind: 'scalar'; value: string | number | boolean | null }
  )

/** Undefined for nothing but white space. Throws `BAD_USAGE`, which says where and what is wrong. */
export function parseJsonText(
  text: string,
  { hasComments = false }: JsonManner = {},
): JsonNode | undefined {
  const at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0
  const cursor: Cursor = { text, at, depth: 0, space: hasComments ? SPACE_OR_COMMENT : SPACE }
  skipSpace(cursor)
  if (cursor.at === text.length) return undefined
  const root = readValue(cursor)
  skipSpace(cursor)
  if (cursor.at < text.length) fail(cursor, `nothing may follow the value, but ${found(cursor)}`)
  return root
}

/** What a program takes besides JSON: `//` and `/* *\/`. */
export type JsonManner = { hasComments?: boolean | undefined }

/** For a person who looks for it. */
export function placeIn(text: string, offset: number): string {
  const before = text.slice(text.startsWith(BYTE_ORDER_MARK) ? 1 : 0, offset)
  const column = before.length - before.lastIndexOf('\n')
  return `line ${before.split('\n').length}, column ${column}`
}

/** Of several with one name the last, as `JSON.parse` has it. */
export function memberOf(node: JsonNode | undefined, key: string): JsonMember | undefined {
  return node?.kind === 'object' ? node.members.findLast((member) => member.key === key) : undefined
}

const BYTE_ORDER_MARK = '\ufeff'
/** Deeper than any settings, shallow enough for the recursion. */
const MAX_DEPTH = 500

type Cursor = { readonly text: string; readonly space: RegExp; at: number; depth: number }

const SPACE = /[ \t\n\r]*/y
const SPACE_OR_COMMENT = /(?:[ \t\n\r]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y

function readValue(cursor: Cursor): JsonNode {
  const start = cursor.at
  switch (cursor.text[start]) {
    case '{': {
      const members = readList(cursor, '}', readMember)
      return { kind: 'object', start, end: cursor.at, members }
    }
    case '[': {
      const items = readList(cursor, ']', readValue)
      return { kind: 'array', start, end: cursor.at, items }
    }
    default: {
      const value = cursor.text[start] === '"' ? readString(cursor) : readWord(cursor)
      return { kind: 'scalar', start, end: cursor.at, value }
    }
  }
}

function readList<T>(cursor: Cursor, close: '}' | ']', readOne: (cursor: Cursor) => T): T[] {
  if (++cursor.depth > MAX_DEPTH) fail(cursor, `it is nested more than ${MAX_DEPTH} deep`)
  const list: T[] = []
  cursor.at++
  skipSpace(cursor)
  while (cursor.text[cursor.at] !== close) {
    list.push(readOne(cursor))
    skipSpace(cursor)
    if (cursor.text[cursor.at] === close) break
    if (cursor.text[cursor.at] !== ',') {
      fail(cursor, `a comma or a ${close} is missing here: ${found(cursor)}`)
    }
    const comma = cursor.at++
    skipSpace(cursor)
    if (cursor.text[cursor.at] === close) {
      fail({ ...cursor, at: comma }, `there is a comma too many before the ${close}`)
    }
  }
  cursor.at++
  cursor.depth--
  return list
}

function readMember(cursor: Cursor): JsonMember {
  const start = cursor.at
  if (cursor.text[start] !== '"') {
    fail(cursor, `a name in double quotes belongs here, but ${found(cursor)}`)
  }
  const key = readString(cursor)
  skipSpace(cursor)
  if (cursor.text[cursor.at] !== ':') {
    fail(cursor, `a colon is missing after ${JSON.stringify(key)}: ${found(cursor)}`)
  }
  cursor.at++
  skipSpace(cursor)
  const value = readValue(cursor)
  return { key, value, start, end: cursor.at }
}

function readString(cursor: Cursor): string {
  const { text, at: start } = cursor
  let end = start + 1
  while (end < text.length && text[end] !== '"' && text[end] !== '\n') {
    end += text[end] === '\\' ? 2 : 1
  }
  if (text[end] !== '"') fail(cursor, 'a text begins here and has no closing quote on its line')
  try {
    const value = JSON.parse(text.slice(start, end + 1)) as string
    cursor.at = end + 1
    return value
  } catch {
    return fail(cursor, 'this text has a character or a \\ in it that JSON does not allow')
  }
}

function readWord(cursor: Cursor): number | boolean | null {
  WORD.lastIndex = cursor.at
  const word = WORD.exec(cursor.text)?.[0] ?? ''
  if (!SCALAR.test(word)) fail(cursor, `a value belongs here, but ${found(cursor)}`)
  cursor.at += word.length
  return JSON.parse(word) as number | boolean | null
}

const WORD = /[\w.+-]+/y
const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

function skipSpace(cursor: Cursor): void {
  cursor.space.lastIndex = cursor.at
  cursor.at += cursor.space.exec(cursor.text)?.[0].length ?? 0
}

function found({ text, at, space }: Cursor): string {
  const rest = text.slice(at, at + 40)
  if (rest === '') return 'the file ends'
  if (space === SPACE_OR_COMMENT && rest.startsWith('/*')) return 'a comment begins and has no end'
  if (/^(?:\/[/*]|#)/.test(rest)) return 'there is a comment, which JSON does not have'
  const shown = displayLine(/^[\w.+-]+|^./su.exec(rest)?.[0] ?? '')
  return shown === '' ? 'there is an invisible character' : `there is ${shown}`
}

function fail({ text, at }: Cursor, problem: string): never {
  throw new TrailBossError('BAD_USAGE', `${placeIn(text, at)}: ${problem}.`)
}
