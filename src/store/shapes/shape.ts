/**
 * Returns what is wrong with a value, if anything. It copies nothing: every start checks ten thousand sessions,
 * and what was stored has to stay as it was written, field by field.
 */
export type Shape = (value: unknown) => string | undefined

/** The shapes of the fields of `T`: leaving one out does not compile. */
export type Fields<T> = { [K in keyof T]-?: Shape }

const LATEST = 1e16

export const text: Shape = (value) => (typeof value === 'string' ? undefined : 'is not text')

/** A string that names something. */
export const name: Shape = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'is not a name'

export const flag: Shape = (value) =>
  typeof value === 'boolean' ? undefined : 'is not a yes or no'

/** A time or a duration in milliseconds: roughly within what a calendar can show. */
export const time: Shape = (value) =>
  typeof value === 'number' && Math.abs(value) < LATEST ? undefined : 'is not a time'

export const count: Shape = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : 'is not a count'

export const anything: Shape = () => undefined

export function oneOf(words: readonly string[]): Shape {
  const known = new Set<unknown>(words)
  return (value) => (known.has(value) ? undefined : `is not one of ${words.join(', ')}`)
}

/** Absent in a record, NULL in a column. */
export function optional(shape: Shape): Shape {
  return (value) => (value === undefined || value === null ? undefined : shape(value))
}

export function list(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return 'is not a list'
    for (const [index, element] of value.entries()) {
      const wrong = shape(element)
      if (wrong !== undefined) return `[${index}] ${wrong}`
    }
    return undefined
  }
}

/** An object with any keys. */
export function map(shape: Shape): Shape {
  return (value) => {
    if (!isObject(value)) return 'is not an object'
    for (const key of Object.keys(value)) {
      const wrong = shape(value[key])
      if (wrong !== undefined) return `.${key} ${wrong}`
    }
    return undefined
  }
}

/** Allows other fields: a later version may have written them. */
export function object<T>(fields: Fields<T>): Shape {
  const shapes = Object.entries<Shape>(fields)
  return (value) => {
    if (!isObject(value)) return 'is not an object'
    for (const [key, shape] of shapes) {
      const wrong = shape(value[key])
      if (wrong !== undefined) return `.${key} ${wrong}`
    }
    return undefined
  }
}

/** The value must have all of these shapes. */
export function both(...shapes: readonly Shape[]): Shape {
  return (value) => shapes.map((shape) => shape(value)).find((wrong) => wrong !== undefined)
}

/** One field decides which of the shapes applies. */
export function variant(field: string, shapes: Record<string, Shape>): Shape {
  const known = oneOf(Object.keys(shapes))
  return (value) => {
    if (!isObject(value)) return 'is not an object'
    const wrong = known(value[field])
    return wrong === undefined ? shapes[String(value[field])]?.(value) : `.${field} ${wrong}`
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
