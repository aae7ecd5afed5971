import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  hookRequests,
  settingsFiles,
  type Write,
  wildLayout,
} from '../../../test/support/install/hook-settings.ts'
import { HOOK_EVENTS } from './hook-events.ts'
import { addHooks, removeHooks } from './install.ts'

/** With comments wherever Gemini CLI allows them. */
const settings = settingsFiles({
  keys: ['ui', 'general', 'security', 'mcpServers'],
  // Otherwise a key might begin what looks like a comment.
  isKey: (name) => !name.includes('/'),
  events: ['AfterAgent', 'BeforeTool', 'Notification', 'PreCompress'],
  matchers: ['write_file'],
  layout: fc.oneof(
    neatLayout(),
    wildLayout([
      ...['', ' ', '\n', '\r\n', '\n\n  '],
      ...[' // one, "two"\n', '/* {a, b} */', '\n  /* c\n */ '],
    ]),
  ),
})
const requests = hookRequests(HOOK_EVENTS)

const ROUNDS = { numRuns: 400 }

test('adding and removing again leaves the same text, including comments', () => {
  fc.assert(
    fc.property(settings, requests, (text, request) => {
      expect(removeHooks(addHooks(text, request), text)).toBe(text)
    }),
    ROUNDS,
  )
})

test('adding twice is like adding once', () => {
  fc.assert(
    fc.property(settings, requests, (text, request) => {
      const once = addHooks(text, request)
      expect(addHooks(once, request)).toBe(once)
    }),
    ROUNDS,
  )
})

test('adding loses no comment, and neither does removing without the original text', () => {
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

const COMMENT = /\/\/ [a-z,"{} ]*|\/\* [a-z,"{}\n ]*\*\//g

function commentsOf(text: string): string[] {
  return text.match(COMMENT)?.toSorted() ?? []
}

function parsed(text: string) {
  return JSON.parse(text.replace(/^\ufeff/, '').replaceAll(COMMENT, ''))
}

function neatLayout(): fc.Arbitrary<Write> {
  return fc.tuple(fc.constantFrom(undefined, 2, '\t'), fc.constantFrom('\n', '\r\n')).map(
    ([by, eol]) =>
      (value) =>
        `${JSON.stringify(value, null, by)}\n`.replaceAll('\n', eol),
  )
}
