import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { giveUp, type Key, type KeyInput, noInput, patienceOf, readKeys } from './keys.ts'

const named = (name: string) => ({ kind: 'named', name })
const text = (value: string) => ({ kind: 'text', text: value })
const paste = (value: string) => ({ kind: 'paste', text: value })

test.each([
  ['a', [text('a')]],
  ['Gg/', [text('G'), text('g'), text('/')]],
  ['漢😀é', [text('漢'), text('😀'), text('é')]],
  ['\r', [named('enter')]],
  ['\n', [named('enter')]],
  ['\x7f\b', [named('backspace'), named('backspace')]],
  ['\x03\x15', [named('ctrl-c'), named('ctrl-u')]],
  ['\x1b[A\x1b[B', [named('up'), named('down')]],
  ['\x1bOA\x1bOB', [named('up'), named('down')]],
  ['\x1bOM', [named('enter')]],
  ['\x1b[1;5A', [named('up')]],
  [
    '\x1b[H\x1b[F\x1b[1~\x1b[4~\x1bOH\x1bOF',
    ['home', 'end', 'home', 'end', 'home', 'end'].map(named),
  ],
  ['\x1b[5~\x1b[6~', [named('page-up'), named('page-down')]],
  ['\x1b\x1b[A', [named('escape'), named('up')]],
  ['\x1bq', []],
  ['\x1b漢x', [text('x')]],
  ['\x1b[15~\x1b[C\x1b[I\x1b[<0;1;1Mx', [text('x')]],
  ['\x1b[\x01x', [named('ctrl-a'), text('x')]],
  ['\x1b[漢', [text('漢')]],
  [`\x1b[${'1'.repeat(40)}A`, [named('up')]],
])('reads %j', (typed, expected) => {
  expect(readAll([bytes(typed)])).toEqual(expected)
})

describe('a paste', () => {
  test('is one key, whatever keys it looks like', () => {
    expect(readAll([bytes('\x1b[200~q\r1\x1b[A漢\x1b[201~j')])).toEqual([
      paste('q\r1\x1b[A漢'),
      text('j'),
    ])
  })

  test('of more than we accept is dropped, and typing continues after it', () => {
    const input = bytes(`\x1b[200~${'q'.repeat(200_000)}\x1b[201~j`)
    const keys = readAll([input.slice(0, 100_000), input.slice(100_000)])
    expect(keys.at(-1)).toEqual(text('j'))
    expect(keys.slice(0, -1).every((key) => key.kind === 'paste')).toBe(true)
  })

  test('of any length is held only up to a bound', () => {
    const [input] = readKeys(noInput, bytes(`\x1b[200~${'q'.repeat(200_000)}`))
    expect(input.bytes.length).toBeLessThan(70_000)
  })

  test('that never ends is abandoned', () => {
    const [input, keys] = readKeys(noInput, bytes('\x1b[200~abc'))
    expect(keys).toEqual([])
    expect(patienceOf(input)).toBeGreaterThan(100)
    expect(giveUp(input)).toEqual([noInput, [paste('abc')]])
  })
})

describe('a key split over chunks', () => {
  const typed = 'a漢\x1b[A\x1bOB😀\x1b[5~\x1b[200~p漢q\x1b[201~é\r'

  test('is read as if it came whole, wherever it is split', () => {
    const all = bytes(typed)
    const whole = readAll([all])
    for (let at = 1; at < all.length; at++) {
      expect(readAll([all.slice(0, at), all.slice(at)])).toEqual(whole)
    }
    expect(readAll(Array.from(all, (byte) => Uint8Array.of(byte)))).toEqual(whole)
  })

  test('is waited for only while something is missing', () => {
    expect(patienceOf(readKeys(noInput, bytes('x'))[0])).toBeUndefined()
    expect(patienceOf(readKeys(noInput, bytes('\x1b'))[0])).toBeGreaterThan(0)
  })

  test('is the Escape key when nothing follows the ESC', () => {
    expect(giveUp(readKeys(noInput, bytes('\x1b'))[0])).toEqual([noInput, [named('escape')]])
  })

  test.each([[bytes('\x1b[1;')], [Uint8Array.of(0xe6, 0xbc)]])(
    'is dropped if %j stays incomplete',
    (start) => {
      expect(giveUp(readKeys(noInput, start)[0])).toEqual([noInput, []])
    },
  )
})

test('invalid UTF-8 or a C1 control gives no key and hides none', () => {
  const broken = [0xff, 0xc0, 0x80, 0xe6, 0x61, 0xed, 0xa0, 0x80, 0xc2, 0x9b, 0x62]
  expect(readAll([Uint8Array.from(broken)])).toEqual([text('a'), text('b')])
})

test('no input makes it throw or hang, and text never holds a control character', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 6 }), (chunks) => {
      for (const key of readAll(chunks)) {
        if (key.kind === 'text') expect(key.text).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
      }
    }),
  )
})

function bytes(value: string): Uint8Array {
  return new TextEncoder().encode(value)
}

function readAll(chunks: Uint8Array[]): Key[] {
  let input: KeyInput = noInput
  const all: Key[] = []
  for (const chunk of chunks) {
    const [next, keys] = readKeys(input, chunk)
    input = next
    all.push(...keys)
  }
  return all
}
