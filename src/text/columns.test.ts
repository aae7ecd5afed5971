import fc from 'fast-check'
import stringWidth from 'string-width'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { displayLine } from '../core/text.ts'

// Other files of the same process may have loaded the tables already.
vi.resetModules()
const { cellsOf, cut, cutMiddle, fitTo, loadGraphemes, loadWantedGraphemes, widthOf } =
  await import('./columns.ts')
const { wrap } = await import('./wrap.ts')

const FAMILY = '👨‍👩‍👧‍👦'
const THAI = 'ก็'
const hostileText = fc.string({ unit: 'binary', maxLength: 60 })
const clusters = fc
  .array(
    fc.constantFrom(
      'a',
      ' ',
      '漢',
      'é',
      'e\u0301',
      '👍🏽',
      FAMILY,
      '🇩🇪',
      '⚠️',
      '1️⃣',
      'ก็',
      'क्षि',
      '각',
      '…',
      'ﾊﾟ',
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))
const joiners = fc.string({
  unit: fc.constantFrom('🏽', '\u0d4e', '\u0600', 'a', ' ', THAI),
  maxLength: 8,
})

describe('before the grapheme tables are loaded', () => {
  test('simple text needs no loading, other text does', () => {
    const simple = ['größer → ✅ 漢字 ⚠️', 'e\u0301 שלום', '1️⃣ 👍🏽', FAMILY]
    for (const text of simple) expect(widthOf(text)).toBe(stringWidth(text))
    expect(loadWantedGraphemes()).toBeUndefined()
    widthOf(THAI)
    expect(loadWantedGraphemes()).toBeInstanceOf(Promise)
    expect(loadWantedGraphemes()).toBeUndefined()
  })

  test.each(['ก็ ไทย', 'हिन्दी', '🇩🇪 flag', 'עִבְרִית', 'தமிழ்', 'ﾊﾟ', '\u0301a\u200db'])(
    'other text, like %j, is complete and about as wide as it will be',
    (text) => {
      const cells = cellsOf(text)
      expect(text).toContain(cells.map((cell) => cell.text).join(''))
      expect(Math.abs(widthOf(text) - stringWidth(text))).toBeLessThanOrEqual(1)
    },
  )

  test('fitted text has the requested width by the same measure', () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, clusters, joiners), fc.nat(30), (raw, columns) => {
        expect(widthOf(fitTo(displayLine(raw), columns))).toBe(columns)
      }),
    )
  })
})

describe('with the grapheme tables', () => {
  beforeAll(loadGraphemes)

  test('every code point is as wide as string-width says, with and without an emoji selector', () => {
    const wrong: string[] = []
    for (const code of [
      ...range(0xa0, 0x3400),
      ...range(0xff00, 0xfff0),
      ...range(0x1f000, 0x1fb00),
    ]) {
      const char = String.fromCodePoint(code)
      for (const text of [`x${char}x`, `x${char}\ufe0fx`]) {
        if (widthOf(text) !== stringWidth(text)) wrong.push(code.toString(16))
      }
    }
    expect(wrong).toEqual([])
    expect(widthOf('\u3400\u4dbf\u4e00\u9fff\uac00\ud7a3')).toBe(12)
  }, 60_000)

  test('simple text has the clusters and widths that the segmenter and string-width find', () => {
    const segmenter = new Intl.Segmenter()
    const units = [
      ...[
        'a',
        '1',
        '#',
        '*',
        'é',
        '漢',
        'が',
        '한',
        'ש',
        'س',
        '★',
        '❯',
        '\u0301',
        '\u20e3',
        '\ufe0f',
        '\u200d',
      ],
      ...['✅', '⚠', '⚠️', '©', '🚀', '👍', '👍🏽', '🏽', '👩', '🧑‍🚀', '❤️', '1️⃣', '👨‍👩‍👧‍👦'],
    ]
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...units), maxLength: 12 }), (text) => {
        const found = Array.from(segmenter.segment(`x${text}x`), ({ segment }) => segment)
        const cells = cellsOf(`x${text}x`)
        expect(cells.map((cell) => cell.text)).toEqual(
          found.filter((part) => stringWidth(part) > 0),
        )
        expect(cells.map((cell) => cell.width)).toEqual(cells.map((cell) => stringWidth(cell.text)))
      }),
      { numRuns: 3_000 },
    )
  })

  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['漢字漢字', 5, '漢字…'],
    ['漢字漢字', 6, '漢字…'],
    ['漢字', 1, '…'],
    [`a${FAMILY}b`, 3, 'a…'],
    [`a${FAMILY}b`, 4, `a${FAMILY}b`],
    ['abc', 0, ''],
    ['abc', -3, ''],
    ['⚠️⚠️', 3, '⚠️…'],
  ])('cuts %j to %i columns', (text, columns, expected) => {
    expect(cut(text, columns)).toBe(expected)
  })

  test('fits text to the left or to the right', () => {
    expect(fitTo('漢', 4)).toBe('漢  ')
    expect(fitTo('4m', 4, 'right')).toBe('  4m')
  })

  test('fitted hostile text has exactly the requested width, even between other text', () => {
    fc.assert(
      fc.property(
        fc.oneof(hostileText, clusters, joiners),
        fc.integer({ min: 0, max: 30 }),
        (raw, columns) => {
          const fitted = fitTo(displayLine(raw), columns)
          expect(stringWidth(fitted)).toBe(columns)
          expect(stringWidth(` ${fitted} │`)).toBe(columns + 3)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['the quick brown fox', 10, ['the quick', 'brown fox']],
    ['the quick brown fox', 9, ['the quick', 'brown fox']],
    ['one\n\n  two three', 7, ['one', '', '  two', 'three']],
    ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['漢字漢字漢', 5, ['漢字', '漢字', '漢']],
    ['a 漢字漢字漢', 5, ['a 漢', '字漢', '字漢']],
    ['see 漢字 there', 8, ['see 漢字', 'there']],
    ['one  two', 4, ['one', 'two']],
    ['      deep', 4, ['deep']],
    ['trailing   ', 20, ['trailing']],
    ['', 4, ['']],
    ['漢', 1, ['…']],
    ['abc', 0, []],
  ])('wraps %j at %i columns', (text, columns, expected) => {
    expect(wrap(text, columns)).toEqual(expected)
  })

  test('wrapping loses no letter, and no line is too wide', () => {
    fc.assert(
      fc.property(clusters, fc.integer({ min: 4, max: 20 }), (text, columns) => {
        const lines = wrap(text, columns)
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
      }),
    )
  })

  test('a character that joins its neighbours is left out, and what it separated is joined', () => {
    expect(cellsOf('🏽 ก็')[0]?.text).toBe(' ')
    expect(cellsOf('ก็ \u0d4e').at(-1)?.text).toBe(' ')
    expect(cellsOf('🇩\ufff0🇪')).toEqual([{ text: '🇩🇪', width: 2 }])
  })

  test('endlessly stacked marks do not get through', () => {
    expect(cut(`a${'\u0301'.repeat(500)}b`, 9)).toBe('\ufffdb')
  })
})

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}

describe('the name of something, cut in its middle', () => {
  test.each([
    ['company-platform-service-billing', 16, 'compa…ce-billing'],
    ['company-platform-service-payments', 16, 'compa…e-payments'],
    ['short', 16, 'short'],
    ['漢字漢字漢字漢字', 9, '漢…漢字'],
    ['abcdef', 4, 'abc…'],
  ])('%s in %i columns is %s', (name, columns, expected) => {
    expect(cutMiddle(name, columns)).toBe(expected)
  })

  test('fits, whatever it is', () => {
    fc.assert(
      fc.property(clusters, fc.integer({ min: 0, max: 30 }), (name, columns) => {
        expect(widthOf(cutMiddle(name, columns))).toBeLessThanOrEqual(columns)
      }),
    )
  })
})
