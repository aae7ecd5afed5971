import * as v from 'valibot'

/** Settings that belong together; each has a default, so all of them may be left out. */
export function group<const T extends v.ObjectEntries>(settings: T) {
  const schema = v.strictObject(settings)
  return v.optional(schema, {} as v.InferInput<typeof schema>)
}
