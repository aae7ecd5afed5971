import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HookRequest } from '../hook-edit.ts'
import { HOOK_EVENTS } from './hook-events.ts'
import { addHooks, removeHooks } from './install.ts'

/** A settings file as somebody might have it: any layout, any other keys, hooks of others, odd empties. */
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
  events: fc.subarray(HOOK_EVENTS, { minLength: 1 }),
  isComplete: fc.boolean(),
})

const ROUNDS = { numRuns: 300 }

test('what is added and removed again leaves the same text', () => {
  fc.assert(
    fc.property(settings, requests, (text, request) => {
      expect(removeHooks(addHooks(text, request), text)).toBe(text)
    }),
    ROUNDS,
  )
})

test('without the text from before, only what was empty may be gone', () => {
  fc.assert(
    fc.property(settings, requests, (text, request) => {
      fc.pre(
        !/"(?:hooks|[A-Z]\w+)"\s*:\s*(?:\{\s*\}|\[\s*\])/.test(text) && !/^\s*\{\s*\}/.test(text),
      )
      expect(removeHooks(addHooks(text, request), undefined)).toBe(text)
    }),
    ROUNDS,
  )
})

test('adding twice is adding once, whoever asked first', () => {
  fc.assert(
    fc.property(settings, requests, requests, (text, first, second) => {
      const once = addHooks(text, { ...second, isComplete: true })
      expect(addHooks(once, { ...second, isComplete: true })).toBe(once)
      const renewed = addHooks(addHooks(text, first), { ...second, isComplete: true }, text)
      expect(hooksByEvent(renewed)).toEqual(hooksByEvent(once))
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

function hooksByEvent(text: string): [string, unknown][] {
  return Object.entries<unknown>(parsed(text).hooks).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function parsed(text: string) {
  return JSON.parse(text.replace(/^\ufeff/, ''))
}

function key(): fc.Arbitrary<string> {
  return fc
    .oneof(
      fc.constantFrom('model', 'permissions', 'env', 'a "b"', '✓'),
      fc.string({ maxLength: 5 }),
    )
    .filter((name) => name !== 'hooks' && name !== '__proto__')
}

function otherHooks(): fc.Arbitrary<Record<string, unknown>> {
  const command = fc.constantFrom('say done', 'jq . >> /tmp/log', 'npx tool --flag "x"')
  const hook = fc.record({ type: fc.constant('command'), command })
  const group = fc.record(
    { matcher: fc.constantFrom('', 'Bash', 'Edit|Write'), hooks: fc.array(hook, { maxLength: 2 }) },
    { requiredKeys: ['hooks'] },
  )
  const event = fc.constantFrom('Stop', 'PreToolUse', 'Notification', 'PreCompact')
  return fc.dictionary(event, fc.array(group, { maxLength: 2 }), { maxKeys: 3 })
}

/** Indented as people do it, on one line, or with white space where nobody would put it. */
function layout(): fc.Arbitrary<(value: unknown) => string> {
  const indent = fc.constantFrom(undefined, 2, 4, '\t')
  const neat = fc
    .tuple(
      indent,
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom('', '\n'),
      fc.constantFrom('', '\ufeff'),
    )
    .map(
      ([by, eol, last, mark]) =>
        (value: unknown) =>
          mark + (JSON.stringify(value, null, by) + last).replaceAll('\n', eol),
    )
  const space = fc.array(fc.constantFrom('', ' ', '\n', '\r\n', '\t', '\n\n  '), {
    minLength: 1,
    maxLength: 7,
  })
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
