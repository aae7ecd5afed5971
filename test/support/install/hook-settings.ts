import fc from 'fast-check'
import type { HookRequest } from '../../../src/harness/hook-install/hook-edit.ts'

export type Write = (value: unknown) => string

export type OtherSettings = {
  /** Keys that the harness knows, and which others may appear. */
  keys: readonly string[]
  isKey?: (name: string) => boolean
  /** Events with other people's hooks, and their matchers. */
  events: readonly string[]
  matchers: readonly string[]
  layout: fc.Arbitrary<Write>
}

/** A realistic settings file: any layout, any other keys, other people's hooks, odd empty values. */
export function settingsFiles(settings: OtherSettings): fc.Arbitrary<string> {
  const values = fc.dictionary(keyOf(settings), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
  return fc
    .tuple(values, fc.option(otherHooks(settings)), fc.boolean(), settings.layout)
    .map(([rest, hooks, isFirst, write]) => {
      const own = hooks === null ? {} : { hooks }
      return write(isFirst ? { ...own, ...rest } : { ...rest, ...own })
    })
}

export function hookRequests(events: readonly string[]): fc.Arbitrary<HookRequest> {
  return fc.record({
    emitter: fc.record({
      program: fc.constantFrom('/opt/tb/trailboss-emit', "/a 'b/trailboss-emit"),
    }),
    events: fc.subarray([...events], { minLength: 1 }),
    isComplete: fc.boolean(),
  })
}

/** Puts these pieces wherever JSON allows white space, even where nobody would. */
export function wildLayout(pieces: readonly string[]): fc.Arbitrary<Write> {
  const space = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 9 })
  return space.map((spaces) => (value) => {
    let turn = 0
    const some = () => spaces[turn++ % spaces.length] ?? ''
    return some() + spaced(value, some) + some()
  })
}

function keyOf({ keys, isKey = () => true }: OtherSettings): fc.Arbitrary<string> {
  return fc
    .oneof(fc.constantFrom(...keys, 'a "b"', '✓'), fc.string({ maxLength: 5 }))
    .filter((name) => name !== 'hooks' && name !== '__proto__' && isKey(name))
}

function otherHooks({ events, matchers }: OtherSettings): fc.Arbitrary<Record<string, unknown>> {
  const command = fc.constantFrom('say done', 'jq . >> log', 'npx tool --flag "x"')
  const hook = fc.record({ type: fc.constant('command'), command })
  const group = fc.record(
    { matcher: fc.constantFrom('', ...matchers), hooks: fc.array(hook, { maxLength: 2 }) },
    { requiredKeys: ['hooks'] },
  )
  return fc.dictionary(fc.constantFrom(...events), fc.array(group, { maxLength: 2 }), {
    maxKeys: 3,
  })
}

function spaced(value: unknown, some: () => string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const parts = Array.isArray(value)
    ? value.map((item) => some() + spaced(item, some) + some())
    : Object.entries(value).map(
        ([name, item]) =>
          `${some()}${JSON.stringify(name)}${some()}:${some()}${spaced(item, some)}${some()}`,
      )
  const inner = parts.length === 0 ? some() : parts.join(',')
  return Array.isArray(value) ? `[${inner}]` : `{${inner}}`
}
