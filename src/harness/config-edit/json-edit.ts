import type { JsonContainer, JsonMember, JsonNode } from './json-text.ts'

/** The range to replace in a text, and its replacement. */
export type TextEdit = { start: number; end: number; text: string }

/** The style of a file, so that additions look as if its owner had written them. */
export type JsonStyle = {
  eol: string
  /** One step of indentation. */
  unit: string
  /** The white space after a colon, after a comma within a line, and inside braces within a line. */
  colon: string
  comma: string
  pad: string
  isOneLine: boolean
}

/** A new member (with a key) or a new item of a list. */
export type JsonAddition = {
  key?: string
  value: unknown
  /** Puts each member of the value on its own line, if the file has lines. */
  isSpread?: boolean
}

/** Edits may touch, but must not overlap. */
export function applyEdits(text: string, edits: TextEdit[]): string {
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((rest, edit) => rest.slice(0, edit.start) + edit.text + rest.slice(edit.end), text)
}

export function styleOf(text: string, root: JsonNode): JsonStyle {
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  const [first, second] = root.kind === 'object' ? root.members : []
  if (first === undefined) {
    return { eol, unit: '  ', colon: ' ', comma: ' ', pad: ' ', isOneLine: false }
  }
  const pad = spaceBefore(text, first.start)
  const colon = withinLine(spaceBefore(text, first.value.start))
  if (!pad.includes('\n')) {
    const comma = second ? withinLine(spaceBefore(text, second.start)) : colon
    return { eol, unit: '  ', colon, comma, pad, isOneLine: true }
  }
  const unit = pad.slice(pad.lastIndexOf('\n') + 1)
  return { eol, unit, colon, comma: colon, pad: colon, isOneLine: false }
}

/** Adds after the last child, in the same style. Only an empty container loses its own white space. */
export function append(
  text: string,
  container: JsonContainer,
  additions: JsonAddition[],
  style: JsonStyle,
): TextEdit {
  const children = childrenOf(container)
  const last = children.at(-1)
  if (last === undefined) return fill(text, container, additions, style)
  const space = spaceBefore(text, last.start)
  const indent = space.includes('\n') ? space.slice(space.lastIndexOf('\n') + 1) : undefined
  const sameLine = children.length > 1 ? space : style.comma
  const lead = indent === undefined ? sameLine : style.eol + indent
  const added = additions.map((addition) => lead + render(addition, style, indent))
  const comment = indent === undefined ? '' : commentAfter(text, last.end)
  return {
    start: last.end,
    end: last.end + comment.length,
    text: `,${comment}${added.join(',')}`,
  }
}

/**
 * After the last child, as `write` has it for the indent of its line, comments included. It gets lines of its own
 * even where the others share one, and nothing else is changed.
 */
export function appendWritten(
  text: string,
  container: JsonContainer,
  write: (indent: string) => string,
  { eol, unit }: JsonStyle,
): TextEdit {
  const last = childrenOf(container).at(-1)
  const outer = indentOfLine(text, container.start)
  const own = `${eol}${outer}${unit}${write(outer + unit)}${eol}${outer}`
  if (last === undefined) {
    return empty(container, (commentsIn(text, container)?.trimEnd() ?? '') + own)
  }
  const space = spaceBefore(text, last.start)
  if (!space.includes('\n')) return { start: last.end, end: last.end, text: `,${own}` }
  const indent = space.slice(space.lastIndexOf('\n') + 1)
  const comment = commentAfter(text, last.end)
  return {
    start: last.end,
    end: last.end + comment.length,
    text: `,${comment}${eol}${indent}${write(indent)}`,
  }
}

/** Removes some children, but not all, each with the comma that its neighbours no longer need. Comments stay. */
export function remove(
  text: string,
  container: JsonContainer,
  isDoomed: (child: JsonMember | JsonNode) => boolean,
): TextEdit[] {
  const children = childrenOf(container)
  const firstKept = children.findIndex((child) => !isDoomed(child))
  return children.flatMap((child, index) => {
    if (!isDoomed(child)) return []
    const [from, to] =
      index > firstKept
        ? [children[index - 1]!.end, child.start]
        : [child.end, children[index + 1]!.start]
    const comma = commaBetween(text, from, to)
    if (comma === undefined) {
      return [{ start: Math.min(from, child.start), end: Math.max(to, child.end), text: '' }]
    }
    const rest = children.slice(index).findIndex((one) => !isDoomed(one))
    const last = rest === -1 ? children.at(-1)! : children[index + rest - 1]!
    const endsItsLine = /^[ \t]*\r?\n/.test(text.slice(last.end))
    const space = index > firstKept && endsItsLine ? spaceBefore(text, child.start).length : 0
    return [
      { start: comma, end: comma + 1, text: '' },
      { start: child.start - space, end: child.end, text: '' },
    ]
  })
}

/** What a container has besides its children and their commas, if that includes a comment. */
export function commentsIn(text: string, container: JsonContainer): string | undefined {
  const children = childrenOf(container)
  const ends = [container.start + 1, ...children.map(({ end }) => end)]
  const starts = [...children.map(({ start }) => start), container.end - 1]
  const gaps = ends.map((end, index) => {
    const gap = text.slice(end, starts[index])
    const comma = commaIn(gap)
    return comma === undefined ? gap : gap.slice(0, comma) + gap.slice(comma + 1)
  })
  const rest = gaps.join('')
  return rest.trim() === '' ? undefined : rest
}

/** Leaves only this white space in it. */
export function empty(container: JsonContainer, space: string): TextEdit {
  return { start: container.start + 1, end: container.end - 1, text: space }
}

export function childrenOf(container: JsonContainer): (JsonMember | JsonNode)[] {
  return container.kind === 'object' ? container.members : container.items
}

function fill(
  text: string,
  container: JsonContainer,
  additions: JsonAddition[],
  style: JsonStyle,
): TextEdit {
  const { start, end, kind } = container
  const comments = commentsIn(text, container)?.trimEnd() ?? ''
  const isSpread =
    comments !== '' ||
    (kind === 'object' && (!style.isOneLine || text.slice(start, end).includes('\n')))
  if (!isSpread) {
    const pad = kind === 'object' ? style.pad : ''
    const added = additions.map((addition) => render(addition, style, undefined))
    return empty(container, pad + added.join(`,${style.comma}`) + pad)
  }
  const outer = indentOfLine(text, start)
  const indent = outer + style.unit
  const added = additions.map((addition) => style.eol + indent + render(addition, style, indent))
  return empty(container, comments + added.join(',') + style.eol + outer)
}

/** `indent` belongs to the line it begins on; undefined if everything has to stay on one line. */
function render(addition: JsonAddition, style: JsonStyle, indent: string | undefined): string {
  const { key, value, isSpread } = addition
  const name = key === undefined ? '' : `${JSON.stringify(key)}:${style.colon}`
  if (!isSpread || indent === undefined) return name + inline(value, style)
  const inner = style.eol + indent + style.unit
  const members = Object.entries(value as object).map(
    ([each, its]) => `${inner}${JSON.stringify(each)}:${style.colon}${inline(its, style)}`,
  )
  return `${name}{${members.join(',')}${style.eol}${indent}}`
}

function inline(value: unknown, style: JsonStyle): string {
  const { colon, comma, pad } = style
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => inline(item, style)).join(`,${comma}`)}]`
  const members = Object.entries(value).map(
    ([key, its]) => `${JSON.stringify(key)}:${colon}${inline(its, style)}`,
  )
  return `{${pad}${members.join(`,${comma}`)}${pad}}`
}

/** Where the comma is, if there is anything besides it and white space. */
function commaBetween(text: string, from: number, to: number): number | undefined {
  const gap = text.slice(from, to)
  const comma = /^[\s,]*$/.test(gap) ? undefined : commaIn(gap)
  return comma === undefined ? undefined : from + comma
}

/** Ignores commas in comments. */
function commaIn(gap: string): number | undefined {
  const before = /^(?:[^,/]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/.exec(gap)?.[0].length ?? 0
  return gap[before] === ',' ? before : undefined
}

/** A comment that follows on the same line. */
function commentAfter(text: string, end: number): string {
  return /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\n]*?\*\/(?=[ \t]*\r?\n))/.exec(text.slice(end))?.[0] ?? ''
}

function indentOfLine(text: string, offset: number): string {
  return /[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset) + 1))?.[0] ?? ''
}

function spaceBefore(text: string, offset: number): string {
  let start = offset
  while (start > 0 && /[ \t\r\n]/.test(text[start - 1]!)) start--
  return text.slice(start, offset)
}

function withinLine(space: string): string {
  return space.includes('\n') ? ' ' : space
}
