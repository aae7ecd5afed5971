import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HookRequest } from '../hook-edit.ts'
import { HOOK_EVENTS } from './hook-events.ts'
import { addHooks, removeHooks } from './install.ts'

/** A settings file with comments wherever Gemini CLI takes them, and hooks of others. */
const settings: fc.Arbitrary<string> = fc
  .tuple(
    fc.dictionary(key(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
    fc.option(otherHooks()),
    fc.boolean(),
    layout(),
  )
  .map(([rest, hooks, isFirst, write]) => {
    const own = hooks === null ? {} : { hooks }
    return write(isFirst ? { ...own, ...rest } : { ...rest, ...own })
  })

const requests: fc.Arbitrary<HookRequest> = fc.record({
  emitter: fc.record({
    program: fc.constantFrom('/opt/tb/trailboss-emit', "/a 'b/trailboss-emit"),
  }),
  events: fc.subarray([...HOOK_EVENTS], { minLength: 1 }),
  isComplete: fc.boolean(),
})

const ROUNDS = { numRuns: 400 }

test('what is added and removed again leaves the same text, comments and all', () => {
  fc.assert(
    fc.property(settings, requests, (text, request) => {
      expect(removeHooks(addHooks(text, request), text)).toBe(text)
    }),
    ROUNDS,
  )
})

test('adding twice is adding once', () => {
  fc.assert(
    fc.property(settings, requests, (text, request) => {
      const once = addHooks(text, request)
      expect(addHooks(once, request)).toBe(once)
    }),
    ROUNDS,
  )
})

test('no comment is lost by adding, and none by removing without the text from before', () => {
  fc.assert(
    fc.property(settings, requests, (text, request) => {
      const added = addHooks(text, request)
      expect(commentsOf(added)).toEqual(commentsOf(text))
      fc.pre(!text.includes('"hooks"'))
      expect(commentsOf(removeHooks(added, undefined) ?? '')).toEqual(commentsOf(text))
    }),
    ROUNDS,
  )
})

test('every other value is what it was, and each event has ours last', () => {
  fc.assert(
    fc.property(settings, requests, (text, request) => {
      const { hooks: before = {}, ...others } = parsed(text)
      const { hooks: after, ...rest } = parsed(addHooks(text, request))
      expect(rest).toEqual(others)
      for (const event of new Set([...Object.keys(before), ...request.events])) {
        const isWanted = request.events.some((wanted) => wanted === event)
        const ours = isWanted ? [after[event].at(-1)] : []
        expect(after[event]).toEqual([...(before[event] ?? []), ...ours])
        if (isWanted) expect(ours[0].hooks[0].command).toContain('trailboss-emit')
      }
    }),
    ROUNDS,
  )
})

const COMMENT = /\/\/ [a-z,"{} ]*|\/\* [a-z,"{}\n ]*\*\//g

function commentsOf(text: string): string[] {
  return text.match(COMMENT)?.toSorted() ?? []
}

function parsed(text: string) {
  return JSON.parse(text.replace(/^\ufeff/, '').replaceAll(COMMENT, ''))
}

function key(): fc.Arbitrary<string> {
  const names = ['ui', 'general', 'security', 'mcpServers', 'a "b"', '✓']
  return fc
    .oneof(fc.constantFrom(...names), fc.string({ maxLength: 5 }))
    .filter((name) => name !== 'hooks' && name !== '__proto__' && !name.includes('/'))
}

function otherHooks(): fc.Arbitrary<Record<string, unknown>> {
  const command = fc.constantFrom('say done', 'jq . >> log', 'npx tool --flag "x"')
  const hook = fc.record({ type: fc.constant('command'), command })
  const group = fc.record(
    { matcher: fc.constantFrom('', 'write_file'), hooks: fc.array(hook, { maxLength: 2 }) },
    { requiredKeys: ['hooks'] },
  )
  const event = fc.constantFrom('AfterAgent', 'BeforeTool', 'Notification', 'PreCompress')
  return fc.dictionary(event, fc.array(group, { maxLength: 2 }), { maxKeys: 3 })
}

function layout(): fc.Arbitrary<(value: unknown) => string> {
  const neat = fc.tuple(fc.constantFrom(undefined, 2, '\t'), fc.constantFrom('\n', '\r\n')).map(
    ([by, eol]) =>
      (value: unknown) =>
        `${JSON.stringify(value, null, by)}\n`.replaceAll('\n', eol),
  )
  const pieces = [
    '',
    ' ',
    '\n',
    '\r\n',
    '\n\n  ',
    ' // one, "two"\n',
    '/* {a, b} */',
    '\n  /* c\n */ ',
  ]
  const space = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 9 })
  const wild = space.map((spaces) => (value: unknown) => {
    let turn = 0
    const some = () => spaces[turn++ % spaces.length] ?? ''
    return some() + spaced(value, some) + some()
  })
  return fc.oneof(neat, wild)
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
