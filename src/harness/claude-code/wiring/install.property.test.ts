import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  hookRequests,
  settingsFiles,
  type Write,
  wildLayout,
} from '../../../../test/support/install/hook-settings.ts'
import { HOOK_EVENTS } from './hook-events.ts'
import { addHooks, removeHooks } from './install.ts'

const settings = settingsFiles({
  keys: ['model', 'permissions', 'env'],
  events: ['Stop', 'PreToolUse', 'Notification', 'PreCompact'],
  matchers: ['Bash', 'Edit|Write'],
  layout: fc.oneof(neatLayout(), wildLayout(['', ' ', '\n', '\r\n', '\t', '\n\n  '])),
})
const requests = hookRequests(HOOK_EVENTS)

const ROUNDS = { numRuns: 300 }

test('adding and removing again leaves the same text', () => {
  fc.assert(
    fc.property(settings, requests, (text, request) => {
      expect(removeHooks(addHooks(text, request), text)).toBe(text)
    }),
    ROUNDS,
  )
})

test('without the original text, only what was empty may be gone', () => {
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

test('adding twice is like adding once, whoever asked first', () => {
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

test('every other value is unchanged, and each event has ours last', () => {
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

/** Indented the usual way, or on one line. */
function neatLayout(): fc.Arbitrary<Write> {
  return fc
    .tuple(
      fc.constantFrom(undefined, 2, 4, '\t'),
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom('', '\n'),
      fc.constantFrom('', '\ufeff'),
    )
    .map(([by, eol, last, mark]) => (value) => {
      return mark + (JSON.stringify(value, null, by) + last).replaceAll('\n', eol)
    })
}
