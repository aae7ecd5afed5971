import fc from 'fast-check'
import { expect, test } from 'vitest'
import { confCommands } from './conf-commands.ts'
import { type ConfRequest, ourAction, quote, renderConf } from './keys.ts'

const request: ConfRequest = {
  launcher: '/opt/trailboss/bin/trailboss',
  keys: { next: 'Tab', popup: 'g', skip: 'S', back: 'B', dismiss: 'D', drain: 'R' },
  status: false,
  start: false,
  env: {},
}
const bound = (text: string) =>
  confCommands(text)
    .filter(({ words }) => words[0] === 'bind-key')
    .map(({ words }) => ({ key: words[5], command: words.slice(6) }))

test('binds each action to its key in the prefix table', () => {
  const bindings = bound(renderConf(request))
  expect(bindings.map(({ key }) => key)).toEqual(['Tab', 'g', 'S', 'B', 'D', 'R'])
})

test('its bindings are recognised as ours, others are not', () => {
  const actions = bound(renderConf(request)).map(({ command }) => ourAction(command))
  expect(actions).toEqual(['next', 'popup', 'skip', 'back', 'dismiss', 'drain'])
  expect(ourAction(['if-shell', '-F', '#{pane_in_mode}', 'x'])).toBeUndefined()
  expect(ourAction(['run-shell', '-b', 'trailboss jump-next'])).toBeUndefined()
  expect(ourAction(['display-message', '#{@trailboss_head}'])).toBeUndefined()
  expect(ourAction([])).toBeUndefined()
})

test('an action without a key is left out, with a comment', () => {
  const text = renderConf({ ...request, keys: { next: 'M-n' } })
  expect(bound(text).map(({ key }) => key)).toEqual(['M-n'])
  expect(text).toContain(
    '# popup: no key\n# skip: no key\n# back: no key\n# dismiss: no key\n# drain: no key',
  )
})

test('the status line is touched only when asked', () => {
  expect(renderConf(request)).not.toMatch(/set-option.* 'status-/)
  expect(renderConf({ ...request, status: true })).toContain("set-option -ga 'status-format[0]'")
})

test('the daemon is started only when asked', () => {
  expect(renderConf(request)).not.toContain('@trailboss_run} up')
  expect(renderConf({ ...request, start: true })).toContain('@trailboss_run} up')
})

test('variables set at install time come before the program', () => {
  const text = renderConf({ ...request, env: { TRAILBOSS_HOME: "/a b's" } })
  const run = confCommands(text).find(({ words }) => words[2] === '@trailboss_run')
  expect(run?.words[3]).toBe(`TRAILBOSS_HOME='/a b'\\''s' '/opt/trailboss/bin/trailboss'`)
})

test.each(['', "g'", 'g; kill-server', '{', 'gg', 'Tab\n'])('refuses %j as a key', (next) => {
  expect(() => renderConf({ ...request, keys: { next } })).toThrow(/is not a key/)
})

test('refuses one key for two actions, however it is spelled', () => {
  expect(() => renderConf({ ...request, keys: { next: 'Tab', skip: 'C-i' } })).toThrow(/same key/)
})

test('refuses a path that could end the line', () => {
  expect(() => renderConf({ ...request, launcher: '/a\nkill-server' })).toThrow(/control character/)
  expect(() => renderConf({ ...request, env: { TRAILBOSS_HOME: '/a\x1b' } })).toThrow(
    /control character/,
  )
})

test('every quoted text is one word again', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...`ab'"\\ #{}$;\n\r%~é⚠`) }), (text) => {
      expect(confCommands(quote(text))).toEqual([{ words: [text], lineStart: 0 }])
    }),
  )
})
