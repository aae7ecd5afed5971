import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTomlText } from '../../config-edit/toml-text.ts'
import { HOOK_EVENTS } from './hook-events.ts'
import { addHooks, changeConfig, removeHooks, restoreConfig } from './install.ts'
import { trustOf, untrusted } from './trust.ts'

const SOURCE = '/home/op/.codex/hooks.json'
const REQUEST = {
  emitter: { program: '/opt/tb/trailboss-emit' },
  events: HOOK_EVENTS,
  isComplete: true,
}
const TRUSTED = trustOf(SOURCE, addHooks(undefined, REQUEST))
const ROUNDS = { numRuns: 400 }

/** A realistic config: tables in any order, comments, odd spacing, trust in other hooks. */
const config: fc.Arbitrary<string> = fc
  .record({
    root: fc.uniqueArray(rootLine(), { maxLength: 4 }),
    features: fc.constantFrom(
      ...[
        '',
        'features.web = true\nfeatures . "x" = false\n',
        '  features.daemon_auto_start = true\n',
        'features = {}\n',
        'features = { } # none\n',
        'features={web=true,x=false} # mine\n',
        'features = { daemon_auto_start = true, "web" = true }\n',
        'features = { web = { a = 1 }, daemon_auto_start = true } # why\n',
        'features = { daemon_auto_start = false }\n',
      ],
    ),
    tables: fc.uniqueArray(table(), { maxLength: 4 }),
    featureTable: fc.constantFrom(
      ...[
        '',
        '[features]',
        '[features] # mine\nweb = true\n',
        '[features]\ndaemon_auto_start=true # why\n',
      ],
      '\n[ features ]\n\ndaemon_auto_start = false\n',
    ),
    eol: fc.constantFrom('\n', '\r\n'),
    end: fc.constantFrom('', '\n', '\n\n', '\n# the end'),
    mark: fc.constantFrom('', '\ufeff'),
  })
  .map(({ root, features, tables, featureTable, eol, end, mark }) => {
    const dotted = featureTable === '' ? features : ''
    const parts = [...root, dotted, ...tables, featureTable].filter(Boolean)
    const text = parts
      .map((part) => part.replace(/\n?$/, '\n'))
      .join('')
      .replace(/\n$/, '')
    return mark + (text + end).replaceAll('\n', eol)
  })

const sharedDaemon = fc.constantFrom(undefined, false)

test('adding to a config and removing again leaves the same text', () => {
  fc.assert(
    fc.property(config, sharedDaemon, (text, daemon) => {
      const changed = changeConfig(text, { trusted: TRUSTED, sharedDaemon: daemon }, text)
      expect(untrusted(changed, TRUSTED)).toEqual([])
      expect(restoreConfig(changed, TRUSTED, text)).toBe(text)
    }),
    ROUNDS,
  )
})

test('without the original text, only a line break at the end of the file may differ', () => {
  fc.assert(
    fc.property(config, sharedDaemon, (text, daemon) => {
      // An entry with another hash at the place of one of our hooks is taken for an old one of ours.
      fc.pre(!text.includes('.codex/hooks.json:stop:0:0'))
      const changed = changeConfig(text, { trusted: TRUSTED, sharedDaemon: daemon })
      expect((restoreConfig(changed, TRUSTED, undefined) ?? '').trimEnd()).toBe(text.trimEnd())
    }),
    ROUNDS,
  )
})

test('adding twice is like adding once, and the daemon can be restored alone', () => {
  fc.assert(
    fc.property(config, (text) => {
      const off = { trusted: TRUSTED, sharedDaemon: false }
      const once = changeConfig(text, off, text)
      expect(changeConfig(once, off, text)).toBe(once)
      const back = changeConfig(once, { ...off, sharedDaemon: true }, text)
      expect(restoreConfig(back, TRUSTED, text)).toBe(text)
      expect(() => parseTomlText(once)).not.toThrow()
    }),
    ROUNDS,
  )
})

test('other hooks stay where they are, and ours come last', () => {
  const group = fc.record({
    hooks: fc.array(
      fc.record({ type: fc.constant('command'), command: fc.constantFrom('say done', 'jq .') }),
      { maxLength: 2 },
    ),
  })
  const hooks = fc.dictionary(
    fc.constantFrom('Stop', 'PreToolUse', 'PreCompact'),
    fc.array(group, { maxLength: 3 }),
  )
  fc.assert(
    fc.property(hooks, fc.constantFrom(undefined, 2, '\t'), (before, indent) => {
      const text = JSON.stringify({ hooks: before }, null, indent)
      const added = addHooks(text, REQUEST)
      expect(removeHooks(added, text)).toBe(text)
      const trust = trustOf(SOURCE, added)
      expect(trust).toHaveLength(HOOK_EVENTS.length)
      const stops = before['Stop']?.length ?? 0
      expect(trust.map(({ key }) => key)).toContain(`${SOURCE}:stop:${stops}:0`)
    }),
    { numRuns: 100 },
  )
})

function rootLine(): fc.Arbitrary<string> {
  return fc.constantFrom(
    'model = "gpt-5"',
    '# a comment with [brackets] and "quotes"',
    'notify = [\'notify-send\', "Codex"] # tell me',
    'instructions = """\n[features]\n"""',
    '',
    '   approval_policy   =   "on-request"',
  )
}

function table(): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom(
        '[projects."/home/op/proj"]\ntrust_level = "trusted"\n',
        '\n# my servers\n[mcp_servers.docs]\ncommand = "npx"\nargs = ["-y", "docs"]\n',
        '[hooks.state."/home/op/.codex/hooks.json:pre_compact:0:0"]\ntrusted_hash = "sha256:11"\n',
        "[hooks.state.'/elsewhere/hooks.json:stop:0:0']\nenabled = false\n",
        '[hooks.state."/home/op/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:22" # old\n',
        '[tui]\nnotifications = true\n\n\n',
      ),
      fc.integer({ min: 0, max: 9 }),
    )
    .map(([text, n]) => text.replace('[tui]', `[tui_${n}]`))
}
