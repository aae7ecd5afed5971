import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser'
import { TrailBossError } from '../../core/errors.ts'
import { displayLine } from '../../core/text.ts'

/**
 * JSON as text: the place of each value, so that a change can leave every other byte alone. Strict, like the
 * programs that own these files: no trailing commas, and comments only if the program allows them. Tolerates a
 * byte order mark.
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

/** What a program takes besides JSON: `//` and `/* *\/`. */
export type JsonDialect = { hasComments?: boolean | undefined }

export type JsonContainer = Extract<JsonNode, { kind: 'object' | 'array' }>

/** Undefined if there is only white space. Throws `BAD_USAGE` with the place and the problem. */
export function parseJsonText(
  text: string,
  { hasComments = false }: JsonDialect = {},
): JsonNode | undefined {
  let root: JsonNode | undefined
  let name = { key: '', start: 0 }
  const open: { node: JsonContainer; name: typeof name }[] = []
  let comma: number | undefined
  /** The problem if the next token does not fit. */
  let problem = EXPECTED.array

  const fail = (at: number, what = `${problem} ${found(text.slice(at), hasComments)}`): never => {
    throw new TrailBossError('BAD_USAGE', `${placeIn(text, at)}: ${what}.`)
  }
  const begin = (node: JsonContainer) => {
    if (open.length === MAX_DEPTH) fail(node.start, `it is nested more than ${MAX_DEPTH} deep`)
    open.push({ node, name })
    problem = EXPECTED[node.kind]
  }
  const add = (node: JsonNode) => {
    const parent = open.at(-1)?.node
    problem = parent
      ? `a comma or a ${CLOSE[parent.kind]} is missing here:`
      : 'nothing may follow the value, but'
    if (parent?.kind === 'object') parent.members.push({ ...name, value: node, end: node.end })
    else if (parent) parent.items.push(node)
    else root = node
  }
  const end = (at: number) => {
    if (at === text.length) fail(at)
    const { node, name: its } = open.pop()!
    name = its
    add({ ...node, end: at + 1 })
  }

  const visitor: JSONVisitor = {
    onObjectBegin: (start) => begin({ kind: 'object', start, end: start, members: [] }),
    onObjectProperty: (key, start) => {
      name = { key, start }
      problem = `a colon is missing after ${JSON.stringify(key)}:`
    },
    onObjectEnd: end,
    onArrayBegin: (start) => begin({ kind: 'array', start, end: start, items: [] }),
    onArrayEnd: end,
    onLiteralValue: (value, start, length) =>
      add({ kind: 'scalar', start, end: start + length, value }),
    onSeparator: (character, at) => {
      comma = character === ',' ? at : undefined
      problem = EXPECTED[comma === undefined ? 'array' : open.at(-1)!.node.kind]
    },
    onError: (code, at) => {
      const kind = open.at(-1)?.node.kind
      const isLast = kind && comma !== undefined && problem === EXPECTED[kind]
      if (isLast && text[at] === CLOSE[kind])
        fail(comma!, `there is a comma too many before the ${text[at]}`)
      fail(at, STRING_PROBLEMS[printParseErrorCode(code)])
    },
  }
  // A lone carriage return is white space to us, but ends a comment for the library.
  const options = { disallowComments: !hasComments, allowEmptyContent: true }
  visit(text.replaceAll(/^\ufeff|\r(?!\n)/g, '\t'), visitor, options)
  return root
}

/** For a person who searches for it. */
export function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).replace(BYTE_ORDER_MARK, '')
  const column = before.length - before.lastIndexOf('\n')
  return `line ${before.split('\n').length}, column ${column}`
}

/** If several have the same name, the last one, like `JSON.parse`. */
export function memberOf(node: JsonNode | undefined, key: string): JsonMember | undefined {
  return node?.kind === 'object' ? node.members.findLast((member) => member.key === key) : undefined
}

const BYTE_ORDER_MARK = /^\ufeff/
/** Deeper than any settings, but shallow enough for the recursion. */
const MAX_DEPTH = 500
const CLOSE = { object: '}', array: ']' }
const EXPECTED = {
  object: 'a name in double quotes belongs here, but',
  array: 'a value belongs here, but',
}
const BAD_STRING = 'this text has a character or a \\ in it that JSON does not allow'
const STRING_PROBLEMS: Readonly<Record<string, string>> = {
  UnexpectedEndOfString: 'a text begins here and has no closing quote on its line',
  InvalidUnicode: BAD_STRING,
  InvalidEscapeCharacter: BAD_STRING,
  InvalidCharacter: BAD_STRING,
}

function found(rest: string, hasComments: boolean): string {
  if (rest === '') return 'the file ends'
  if (hasComments && rest.startsWith('/*')) return 'a comment begins and has no end'
  if (/^(?:\/[/*]|#)/.test(rest)) return 'there is a comment, which JSON does not have'
  const shown = displayLine(/^[\w.+-]{1,40}|^./su.exec(rest)?.[0] ?? '')
  return shown === '' ? 'there is an invisible character' : `there is ${shown}`
}
