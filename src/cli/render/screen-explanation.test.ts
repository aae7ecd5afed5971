import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { screenOf } from '../../core/screen/screen.ts'
import { parseOwnScreenRules } from '../../harness/own-screen-rules.ts'
import { createScreenReader } from '../../harness/screen-reader.ts'
import { cursorOf, readSavedScreen } from '../commands/queue/saved-screen.ts'
import { screenExplanation, screenExplanationText } from './screen-explanation.ts'

const OWN = [
  {
    name: 'my deploy',
    shows: 'dialog',
    priority: 99,
    region: { last: 1 },
    all: ['^ship it'],
    ask: {},
  },
  { name: 'my other', shows: 'idle', priority: 98, all: ['ship'] },
  { name: 'a pager', disabled: true },
]
const reader = createScreenReader(parseOwnScreenRules('f', JSON.stringify({ generic: OWN })))

function textOf(text: string): string {
  const explained = screenExplanation('generic', reader.explain('generic', screenOf(text)))
  return screenExplanationText(
    explained,
    { title: 'The program', isCursorKnown: false },
    { now: 0, width: 80 },
  )
}

test('says what is shown, the ask, which lines match, and why the other rules do not', () => {
  const text = textOf('building\nship it to \u001b[31mproduction?')
  expect(text).toMatch(
    /^The program shows my deploy\. It waits for your answer:\n\n {4}building\n {4}ship it to production\?\n\nBecause of these lines:\n {2}ship it to production\?\n {6}like \/\^ship it\/\n\nTried,/,
  )
  expect(text).toContain('\n→   99  my deploy (dialog, your own)\n          fits, and counts\n')
  expect(text).toContain(
    '\n    98  my other (idle, your own)\n          fits too, but comes later\n',
  )
  expect(text).toContain(
    '\n    85  a question to be answered with yes or no (dialog)\n          where the cursor stands is not known\n',
  )
  expect(text).not.toContain('a pager')
  expect(text).toMatch(/Give the cursor's position with --cursor x,y/)
})

test('says if no rule knows a screen', () => {
  expect(textOf('x')).toMatch(
    /^No rule matches this screen: it says nothing about the program\.\n\nTried/,
  )
})

describe('a saved screen', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tb-screen-'))
  })
  afterEach(() => rmSync(dir, { recursive: true }))
  const saved = (text: string) => {
    const file = join(dir, 'screen')
    writeFileSync(file, text)
    return file
  }

  test('is the text of a pane', () => {
    const screen = saved('a\n{"lines": 1}\n\n')
    expect(readSavedScreen({ screen, title: 't', cursor: '3,1' })).toEqual({
      lines: ['a', '{"lines": 1}'],
      title: 't',
      cursor: { x: 3, y: 1, visible: true },
      width: 12,
      height: 2,
    })
  })

  test('or a recording, whose title and cursor can be overridden', () => {
    const cursor = { x: 1, y: 0, visible: false }
    const screen = saved(
      JSON.stringify({ lines: ['a '], title: 't', cursor, width: 80, height: 24 }),
    )
    const recorded = { lines: ['a'], title: 't', cursor, width: 80, height: 24 }
    expect(readSavedScreen({ screen })).toEqual(recorded)
    expect(readSavedScreen({ screen, title: 'u' })).toEqual({ ...recorded, title: 'u' })
  })

  test('is refused if it cannot be read or is not a screen', () => {
    expect(() => readSavedScreen({ screen: join(dir, 'none') })).toThrow(/none cannot be read/)
    expect(() => readSavedScreen({ screen: saved('x'.repeat(2 ** 20 + 1)) })).toThrow(/no screen/)
  })

  test.each(['3', '3,', 'x,y', '-1,2', '1,2,3'])('a cursor at %s is refused', (text) => {
    expect(() => cursorOf(text)).toThrow(/not a position on a screen/)
  })
})
