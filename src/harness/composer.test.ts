import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type RecordedScreen, recordedScreens } from '../../test/support/recorded-screens.ts'
import type { Screen } from '../core/screen/screen.ts'
import type { ComposerSight } from '../core/supervisor/trigger/composer.ts'
import { adapterFor } from './registry.ts'

type Recorded = Screen & { note: string; sight: ComposerSight }

const HARNESSES = {
  'claude-code': '2.1.325',
  codex: '0.166.0',
  gemini: '0.61.0',
  opencode: '1.18.33',
}
const SMALL_ROWS = 17
const FIXTURES = new URL('../../test/fixtures/', import.meta.url)

function composerOf(harness: string) {
  const managed = adapterFor(harness)?.managed
  if (!managed) throw new Error(`${harness} cannot be run in a pane of ours`)
  return managed.composer
}

function recordedComposers(harness: string, version: string): [string, Recorded][] {
  const file = new URL(`composers/${harness}/${version}.json`, FIXTURES)
  const all = JSON.parse(readFileSync(file, 'utf8')) as Recorded[]
  return all.map((one) => [one.note, one])
}

/** A turn interrupted before its answer has its prompt back in the composer. */
function expectedKind({ state, reason, note }: RecordedScreen): ComposerSight['kind'] {
  if (state !== 'waiting' || reason !== 'stopped') return 'none'
  return /draft|interrupted before it answered/.test(note) ? 'text' : 'empty'
}

describe.each(Object.entries(HARNESSES))('the composer of %s', (harness, version) => {
  const composer = composerOf(harness)
  const composers = recordedComposers(harness, version)
  const named = (note: string) => composers.find(([name]) => name === note)?.[1] as Recorded

  test.each(composers)('is seen as it is: %s', (_, { sight, note: __, ...screen }) => {
    expect(composer(screen)).toMatchObject(sight)
  })

  test.each(recordedScreens(harness, version))('is seen as it is: %s', (_, recorded) => {
    const { kind } = composer(recorded)
    // On a small screen it may be drawn differently: then nothing is typed there.
    if (recorded.terminal !== undefined && kind === 'none' && recorded.height <= SMALL_ROWS) return
    expect(kind, recorded.note).toBe(expectedKind(recorded))
  })

  test('is not seen if the cursor is not in it, or unknown', () => {
    for (const [note, { sight, cursor, ...screen }] of composers) {
      if (sight.kind === 'none' || !cursor) continue
      for (const moved of [
        { ...cursor, y: 0 },
        { ...cursor, y: 99 },
        { ...cursor, x: 0 },
      ]) {
        expect(composer({ ...screen, cursor: moved }).kind, note).toBe('none')
      }
      expect(composer(screen).kind, note).toBe('none')
    }
  })

  test('is empty only if nothing can have been typed', () => {
    const empty = named('at its start') ?? named('a turn ended')
    const { lines, cursor, width, height, title } = empty
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 40 }), (typed) => {
        fc.pre(typed.trim() !== '')
        const row = cursor?.y ?? 0
        const before = (lines[row] ?? '').slice(0, cursor?.x ?? 0).padEnd(cursor?.x ?? 0)
        const drawn = lines.with(row, `${before}${typed}`.trimEnd())
        const sight = composer({
          ...{ lines: drawn, width, height, title },
          cursor: { x: (cursor?.x ?? 0) + typed.length, y: row, visible: cursor?.visible ?? true },
        })
        expect(sight.kind).not.toBe('empty')
      }),
    )
  })

  test('never fails, whatever is on the screen', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom('', '─'.repeat(40), '▄'.repeat(40), '▀'.repeat(40), '❯ ', '› a', ' > a'),
      fc.constantFrom('  ┃', '  ┃  a · b', `  ╹${'▀'.repeat(20)}`, '  m · /d', '  ? for shortcuts'),
    )
    const at = fc.nat(30)
    const cursor = fc.record({ x: at, y: at, visible: fc.boolean() })
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), cursor, fc.string(), (lines, place, title) => {
        const screen = { lines, cursor: place, title, width: 80, height: 30 }
        expect(['empty', 'text', 'none']).toContain(composer(screen).kind)
      }),
    )
  })
})

describe('what an agent or the operator writes', () => {
  const claude = composerOf('claude-code')
  const codex = composerOf('codex')
  const rule = '─'.repeat(60)

  test('is no composer of Claude Code, however much it looks like one', () => {
    const prose = ['● Look:', `  ${rule}`, '  ❯ ', `  ${rule}`, '    ⏸ manual mode on']
    const screen = { title: '', width: 60, height: 10, cursor: { x: 4, y: 2, visible: false } }
    expect(claude({ ...screen, lines: prose }).kind).toBe('none')
  })

  test('is a draft of Claude Code, even if it looks like a suggestion', () => {
    const lines = ['', rule, '❯ Try "this"', rule, '  ⏸ manual mode on']
    const screen = { title: '', width: 60, height: 10, lines }
    const at = (x: number) => claude({ ...screen, cursor: { x, y: 2, visible: false } })
    expect(at(12)).toEqual({ kind: 'text', text: 'Try "this"' })
    expect(at(2)).toEqual({ kind: 'empty' })
  })

  test('is a draft of Codex, even if it is what the empty composer says', () => {
    const lines = ['', '', '› Ask Codex to do anything', '', '  gpt-5 default · ~/proj']
    const screen = { title: 'proj', width: 60, height: 10, cursor: { x: 2, y: 2, visible: true } }
    expect(codex({ ...screen, lines })).toMatchObject({ kind: 'text' })
    expect(codex({ ...screen, lines: [...lines, '  ? for shortcuts'] })).toEqual({ kind: 'empty' })
  })

  test('that comes in hides the composer of Codex, unless its title says that nothing does', () => {
    const lines = ['› Go on', '', '• And so', '', '', '› Ask Codex to do anything', '']
    const all = [...lines, '  gpt-5 default · ~/proj', '  ? for shortcuts']
    const screen = { lines: all, width: 60, height: 10, cursor: { x: 2, y: 5, visible: true } }
    expect(codex({ ...screen, title: '' }).kind).toBe('none')
    expect(codex({ ...screen, title: '⠹ Go on | proj' }).kind).toBe('none')
    expect(codex({ ...screen, title: 'Go on | proj' }).kind).toBe('empty')
  })

  test('appears in the shell mode of Codex below an earlier prompt, and is no draft', () => {
    const lines = ['', '', '› Go on', '', '! ls', '', '  gpt-5 default · ~/proj']
    const screen = { title: 'proj', width: 60, height: 10, cursor: { x: 4, y: 4, visible: true } }
    expect(codex({ ...screen, lines }).kind).toBe('none')
  })
})
