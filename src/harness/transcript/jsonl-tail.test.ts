import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { JsonlTail, type TailOptions, type TailRead } from './jsonl-tail.ts'

const root = mkdtempSync(join(tmpdir(), 'tb-tail-'))
let count = 0
let path = ''
beforeEach(() => {
  path = join(root, `${count++}.jsonl`)
})
afterAll(() => rmSync(root, { recursive: true }))

const line = (n: number, filler = '') => `${JSON.stringify({ n, filler })}\n`
const numbers = (read: TailRead) => read.records.map((record) => (record as { n: number }).n)

/** Everything there is to read, in as many calls as the budget requires. */
function readAll(tail: JsonlTail): TailRead {
  const all = tail.readNew()
  for (let more = all.more; more; ) {
    const next = tail.readNew()
    all.records.push(...next.records)
    all.skipped += next.skipped
    more = next.more
  }
  return all
}

describe('a growing file', () => {
  test('each record is read once, a partial line when it is complete', () => {
    const tail = new JsonlTail(path)
    writeFileSync(path, line(1) + line(2).slice(0, 5))
    expect(numbers(tail.readNew())).toEqual([1])
    expect(numbers(tail.readNew())).toEqual([])
    appendFileSync(path, line(2).slice(5) + line(3))
    expect(tail.readNew()).toMatchObject({ outcome: 'read', records: [{ n: 2 }, { n: 3 }] })
    expect(tail.readNew()).toEqual({
      outcome: 'read',
      records: [],
      skipped: 0,
      reset: false,
      more: false,
      bytes: 0,
    })
  })

  test('the end of a long file is read once, except for a look at where it begins', () => {
    writeFileSync(path, Array.from({ length: 500 }, (_, n) => line(n, 'x'.repeat(1_000))).join(''))
    const { bytes } = new JsonlTail(path, { firstBytes: 64 * 1024 }).readNew()
    expect(bytes).toBeGreaterThan(60 * 1024)
    expect(bytes).toBeLessThan(69 * 1024)
  })

  test('only appended bytes are read, plus a few that show it is the same file', () => {
    const tail = new JsonlTail(path)
    writeFileSync(path, line(1, 'x'.repeat(100_000)))
    expect(tail.readNew().bytes).toBe(line(1, 'x'.repeat(100_000)).length)
    expect(tail.readNew().bytes).toBe(0)
    appendFileSync(path, line(2))
    expect(tail.readNew().bytes).toBe(line(2).length + 64)
  })

  test('a character torn between two appends is whole', () => {
    const tail = new JsonlTail(path)
    const bytes = Buffer.from(line(1, 'ü€😀'))
    for (const byte of bytes) {
      appendFileSync(path, Buffer.from([byte]))
      const { records } = tail.readNew()
      if (records.length > 0) expect(records).toEqual([{ n: 1, filler: 'ü€😀' }])
    }
    expect(readAll(new JsonlTail(path)).records).toHaveLength(1)
  })

  test('invalid UTF-8 spoils only its own text', () => {
    const bad = Buffer.concat([
      Buffer.from('{"n":1,"s":"'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('"}\n'),
    ])
    writeFileSync(path, Buffer.concat([bad, Buffer.from(line(2))]))
    expect(numbers(new JsonlTail(path).readNew())).toEqual([1, 2])
  })

  test('a call reads no more than its budget and reports that there is more', () => {
    writeFileSync(path, Array.from({ length: 100 }, (_, n) => line(n, 'x'.repeat(100))).join(''))
    const tail = new JsonlTail(path, { budgetBytes: 1_000 })
    const first = tail.readNew()
    expect(first.more).toBe(true)
    expect(first.records.length).toBeLessThan(10)
    expect([...numbers(first), ...numbers(readAll(tail))]).toEqual([...Array(100).keys()])
  })
})

describe('a big file', () => {
  test('is read from near its end, at a whole line', () => {
    writeFileSync(path, Array.from({ length: 1_000 }, (_, n) => line(n, 'x'.repeat(100))).join(''))
    const first = readAll(new JsonlTail(path, { firstBytes: 1_000 }))
    expect(numbers(first)).toEqual([992, 993, 994, 995, 996, 997, 998, 999])
    expect(first.skipped).toBe(0)
  })

  test('a line that begins exactly where reading begins is not lost', () => {
    writeFileSync(path, line(1) + line(2))
    expect(numbers(new JsonlTail(path, { firstBytes: line(2).length }).readNew())).toEqual([2])
  })

  test.each(['', '{"n":3,'])('a last line longer than that is still read, before %j', (rest) => {
    writeFileSync(path, line(1, 'y'.repeat(90_000)) + line(2, 'x'.repeat(50_000)) + rest)
    expect(numbers(readAll(new JsonlTail(path, { firstBytes: 1_000 })))).toEqual([2])
  })

  test('a line over the limit is skipped, and what follows is read', () => {
    const tail = new JsonlTail(path, { maxLineBytes: 1_000, budgetBytes: 300 })
    writeFileSync(path, `${line(1)}${'x'.repeat(5_000)}${line(2)}`)
    expect(readAll(tail)).toMatchObject({ records: [{ n: 1 }], skipped: 1 })
    appendFileSync(path, line(3, 'y'.repeat(900)) + line(4))
    expect(numbers(readAll(tail))).toEqual([3, 4])
  })

  test.each(['\n', ''])(
    'one over the limit, ended by %j, is also skipped at the first read',
    (end) => {
      const tail = new JsonlTail(path, { firstBytes: 100, maxLineBytes: 1_000 })
      writeFileSync(path, line(1) + line(2, 'x'.repeat(10_000)).trimEnd() + end)
      expect(readAll(tail)).toMatchObject({ outcome: 'read', records: [] })
      appendFileSync(path, `${end === '' ? '\n' : ''}${line(3)}`)
      expect(numbers(readAll(tail))).toEqual([3])
    },
  )
})

describe('another file in its place', () => {
  test.each<[what: string, replace: () => void]>([
    ['truncated', () => truncateSync(path, 0)],
    ['truncated and grown past where it was', () => writeFileSync(path, line(7).repeat(9))],
    ['rewritten in place', () => writeFileSync(path, line(5) + line(6).slice(0, 5))],
    [
      'replaced',
      () => {
        writeFileSync(`${path}.new`, line(7).repeat(9))
        renameSync(`${path}.new`, path)
      },
    ],
  ])('%s: starts over and says so', (_, replace) => {
    const tail = new JsonlTail(path)
    writeFileSync(path, line(1) + line(2).slice(0, 5))
    expect(tail.readNew().reset).toBe(false)
    replace()
    appendFileSync(path, `\n${line(8)}`)
    const read = tail.readNew()
    expect(read.reset).toBe(true)
    expect(numbers(read).at(-1)).toBe(8)
    expect(numbers(read)).not.toContain(2)
    expect(tail.readNew()).toMatchObject({ reset: false, records: [] })
  })

  test('rewritten in place to the same length, at another time', () => {
    const tail = new JsonlTail(path)
    writeFileSync(path, line(1))
    utimesSync(path, 1, 1)
    expect(numbers(tail.readNew())).toEqual([1])
    writeFileSync(path, line(2))
    expect(tail.readNew()).toMatchObject({ reset: true, records: [{ n: 2 }] })
  })

  test('gone and back with the same content', () => {
    const tail = new JsonlTail(path)
    writeFileSync(path, line(1))
    tail.readNew()
    rmSync(path)
    tail.readNew()
    writeFileSync(path, line(1))
    expect(tail.readNew()).toMatchObject({ reset: true, records: [{ n: 1 }] })
  })
})

describe('a file that cannot be read', () => {
  test('a missing file is reported, and read once it exists', () => {
    path = join(root, 'later', 'x.jsonl')
    const tail = new JsonlTail(path)
    expect(tail.readNew()).toMatchObject({ outcome: 'missing', records: [] })
    mkdirSync(join(root, 'later'))
    writeFileSync(path, line(1))
    expect(tail.readNew()).toMatchObject({ outcome: 'read', reset: false, records: [{ n: 1 }] })
    rmSync(path)
    expect(tail.readNew().outcome).toBe('missing')
    writeFileSync(path, line(9))
    expect(tail.readNew()).toMatchObject({ outcome: 'read', reset: true, records: [{ n: 9 }] })
  })

  test.each<[what: string, make: () => void]>([
    ['a directory', () => mkdirSync(path)],
    [
      'a path no system knows',
      () => {
        path = 'a\0b'
      },
    ],
  ])('%s is unreadable, which is not the same as empty', (_, make) => {
    make()
    expect(new JsonlTail(path).readNew()).toMatchObject({
      outcome: 'unreadable',
      records: [],
      reason: expect.stringMatching(/./) as string,
    })
  })

  test('one without permission is unreadable', () => {
    writeFileSync(path, line(1))
    chmodSync(path, 0)
    expect(asNobody(() => new JsonlTail(path).readNew())).toMatchObject({ outcome: 'unreadable' })
  })

  /** Root may read everything. */
  function asNobody<T>(act: () => T): T {
    if (process.geteuid?.() !== 0) return act()
    process.seteuid?.(65534)
    try {
      return act()
    } finally {
      process.seteuid?.(0)
    }
  }
})

describe('a damaged file', () => {
  type Piece = { text: string; intact: number[] }

  const value = fc.jsonValue({ maxDepth: 3 })
  const record = fc.tuple(fc.nat(), value).map(([, inner]) => inner)

  /** Lines damaged as in real life, with the ids of the records that are intact. */
  const pieces = fc
    .array(
      fc.record({
        inner: record,
        other: record,
        damage: fc.constantFrom(
          'none',
          'none',
          'spliced',
          'joined',
          'nul-before',
          'nul-between',
          'truncated',
          'garbage',
        ),
        cut: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        nuls: fc.integer({ min: 1, max: 40 }),
      }),
      { maxLength: 12 },
    )
    .map((specs) =>
      specs.map(({ inner, other, damage, cut, nuls }, i): Piece => {
        const one = JSON.stringify({ id: 2 * i, inner })
        const two = JSON.stringify({ id: 2 * i + 1, inner: other })
        const torn = one.slice(0, Math.floor(cut * one.length))
        const nul = '\0'.repeat(nuls)
        switch (damage) {
          case 'none':
            return { text: one, intact: [2 * i] }
          case 'spliced':
            return { text: torn + two, intact: [2 * i + 1] }
          case 'joined':
            return { text: one + two, intact: [2 * i, 2 * i + 1] }
          case 'nul-before':
            return { text: nul + one, intact: [2 * i] }
          case 'nul-between':
            return { text: one + nul + two, intact: [2 * i, 2 * i + 1] }
          case 'truncated':
            return { text: torn, intact: [] }
          default:
            return { text: `\ufffd${nul}garbage`, intact: [] }
        }
      }),
    )

  test('every intact record is found exactly once, however it is appended and read', () => {
    fc.assert(
      fc.property(
        pieces,
        fc.array(fc.integer({ min: 1, max: 97 }), { minLength: 1 }),
        fc.record({ budgetBytes: fc.integer({ min: 1, max: 4_096 }) }),
        (torn, sizes, options: TailOptions) => {
          path = join(root, `${count++}.jsonl`)
          const bytes = Buffer.from(torn.map(({ text }) => `${text}\n`).join(''))
          const tail = new JsonlTail(path, options)
          const found: unknown[] = []
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const size = sizes[i % sizes.length] ?? 1
            appendFileSync(path, bytes.subarray(at, at + size))
            at += size
            const read = readAll(tail)
            expect(read).toMatchObject({ outcome: 'read', reset: false })
            found.push(...read.records)
          }
          expect(idsOf(found)).toEqual(torn.flatMap(({ intact }) => intact))
          if (bytes.length > 0) {
            expect(idsOf(readAll(new JsonlTail(path)).records)).toEqual(idsOf(found))
          }
          expect(tail.readNew().records).toEqual([])
        },
      ),
      { numRuns: 200 },
    )
  })

  /** An object from inside a truncated record has no id of its own. */
  function idsOf(records: unknown[]): unknown[] {
    return records.flatMap((found) =>
      found !== null && typeof found === 'object' && 'id' in found && 'inner' in found
        ? [found.id]
        : [],
    )
  }
})
