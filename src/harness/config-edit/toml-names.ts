import { TrailBossError } from '../../core/errors.ts'
import { displayLine } from '../../core/text.ts'
import { placeIn } from './json-text.ts'
import type { TomlPair, TomlTable } from './toml-text.ts'

/** Throws `BAD_USAGE` if a key or a table exists twice, or below something that is not a table. */
export function requireDistinctNames(text: string, tables: readonly TomlTable[]): void {
  const root: Name = { by: 'header', start: 0, names: new Map() }
  for (const table of tables) {
    const at = table.path.length === 0 ? root : opened(text, root, table)
    for (const pair of table.pairs) addPair(text, at, pair)
  }
}

/** The same for the pairs between two braces. */
export function requireDistinctPairs(text: string, pairs: readonly TomlPair[]): void {
  const braces: Name = { by: 'value', start: 0, names: new Map() }
  for (const pair of pairs) addPair(text, braces, pair)
}

/** Throws `BAD_USAGE` if something prevents a table of this name at the end of the text. */
export function requireRoomFor(
  text: string,
  tables: readonly TomlTable[],
  wanted: readonly string[],
  hint: string,
): void {
  const isInTheWay = (path: readonly string[]) =>
    path.length <= wanted.length && path.every((part, index) => part === wanted[index])
  const refuse = (start: number, path: readonly string[], what: string) => {
    throw new TrailBossError('BAD_USAGE', `${placeIn(text, start)}: ${shown(path)} ${what}.`, {
      hint,
    })
  }
  for (const { path: outer, isItem, start, pairs } of tables) {
    if (isItem && isInTheWay(outer)) refuse(start, outer, 'is a list, and no table')
    for (const pair of pairs) {
      const path = [...outer, ...pair.path]
      if (!isInTheWay(path)) continue
      const isInline = pair.inline !== undefined
      const what = isInline
        ? 'written in braces, to which nothing can be added'
        : 'no table, so nothing can be added to it'
      refuse(pair.start, path, `is ${what}`)
    }
  }
}

/** How a name was defined. A table that is only *implied* by one below it may still get a header, once. */
type Name = {
  by: 'value' | 'dots' | 'header' | 'implied' | 'list'
  start: number
  /** The names below it; for a list, those of its last item. */
  names: Map<string, Name>
}

function opened(text: string, root: Name, { path, isItem, start }: TomlTable): Name {
  const parent = path.slice(0, -1).reduce((at, part, index) => {
    const known = at.names.get(part)
    if (known?.by === 'value') fail(text, start, path.slice(0, index + 1), known)
    return known ?? added(at, part, { by: 'implied', start })
  }, root)
  const last = path.at(-1) ?? ''
  const known = parent.names.get(last)
  const by = isItem ? 'list' : 'header'
  if (!known) return added(parent, last, { by, start })
  if (known.by !== (isItem ? 'list' : 'implied')) fail(text, start, path, known)
  if (isItem) known.names = new Map()
  return Object.assign(known, { by, start })
}

function addPair(text: string, table: Name, { path, start }: TomlPair): void {
  const parent = path.slice(0, -1).reduce((at, part, index) => {
    const known = at.names.get(part)
    const isOpen = known?.by === 'dots' || known?.by === 'implied'
    if (known && !isOpen) fail(text, start, path.slice(0, index + 1), known)
    return known ?? added(at, part, { by: 'dots', start })
  }, table)
  const last = path.at(-1) ?? ''
  const known = parent.names.get(last)
  if (known) fail(text, start, path, known)
  added(parent, last, { by: 'value', start })
}

function added(parent: Name, part: string, { by, start }: Pick<Name, 'by' | 'start'>): Name {
  const name: Name = { by, start, names: new Map() }
  parent.names.set(part, name)
  return name
}

function fail(text: string, start: number, path: readonly string[], known: Name): never {
  const message = `${placeIn(text, start)}: ${shown(path)} is there already, in ${placeIn(text, known.start)}.`
  throw new TrailBossError('BAD_USAGE', message)
}

function shown(path: readonly string[]): string {
  return displayLine(path.join('.'))
}
