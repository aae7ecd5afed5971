/** Reads foreign JSON: a value of the wrong type counts as absent. */

export type JsonObject = Readonly<Record<string, unknown>>

const NOTHING: JsonObject = Object.freeze(Object.create(null) as JsonObject)

export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : NOTHING
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Also undefined for the empty string, which says nothing either. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}

/** Epoch ms of an ISO time. */
export function timeOf(value: unknown): number | undefined {
  const text = textOf(value)
  if (!text || !/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isFinite(at) && at >= 0 ? at : undefined
}

/** Deeper than any tool nests its input, but shallow enough for every recursion over it. */
const MAX_DEPTH = 32

/** The same text for equal values, whatever the order of their keys. Leaves out what is nested too deep. */
export function canonicalJson(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null) return scalarJson(value)
  if (depth >= MAX_DEPTH) return '"…"'
  if (Array.isArray(value)) {
    return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`
  }
  const fields = objectOf(value)
  const pairs = Object.keys(fields)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(fields[key], depth + 1)}`)
  return `{${pairs.join(',')}}`
}

/** A smaller value with the same first `chars` characters of canonical JSON. */
export function shortened(value: unknown, chars: number, depth = 0): unknown {
  if (typeof value === 'string') return value.slice(0, chars)
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return value
  const less = (item: unknown) => shortened(item, chars, depth + 1)
  if (Array.isArray(value)) return value.slice(0, chars).map(less)
  const fields = objectOf(value)
  const names = Object.keys(fields).toSorted().slice(0, chars)
  return Object.fromEntries(names.map((name) => [name, less(fields[name])]))
}

export function isNestedWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((item) => isNestedWithin(item, depth - 1))
}

function scalarJson(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null')
}
