import { describe, expect, test } from 'vitest'
import { recordsInLine } from './jsonl-line.ts'

const A =
  '{"type":"user","message":{"content":[{"type":"text","text":"a \\"quoted\\" {\\"brace\\"}"}]}}'
const B = '{"type":"assistant","n":2,"s":"}{"}'

describe('the records of a line', () => {
  test.each<[what: string, line: string, records: string[]]>([
    ['two joined', A + B, [A, B]],
    ['two joined by a space', `${A} ${B}`, [A, B]],
    ['a record after a NUL run', `\0\0\0${A}`, [A]],
    ['records around a NUL run', `${A}\0\0${B}`, [A, B]],
    ['a record before a truncated one', `${A}${B.slice(0, 20)}`, [A]],
    ['a record whose beginning was lost, then another', `${A.slice(30)}${B}`, [B]],
    ['a truncated record, a NUL run, a record', `${A.slice(0, 50)}\0\0\0${B}`, [B]],
    ['a truncated record between two', `${B}${A.slice(0, 60)}${B}`, [B, B]],
    ['words', 'not json at all {"', []],
    ['only NULs', '\0\0', []],
  ])('%s', (_, line, records) => {
    expect(recordsInLine(line)).toEqual({
      records: records.map((record) => JSON.parse(record) as unknown),
      damaged: true,
    })
  })

  test('a record appended to a truncated one is found', () => {
    for (let cut = 1; cut < A.length; cut++) {
      const { records } = recordsInLine(A.slice(0, cut) + B)
      expect(records.at(-1), `cut at ${cut}`).toEqual(JSON.parse(B))
      expect(records.filter((record) => (record as { n?: number }).n === 2)).toHaveLength(1)
    }
  })

  test('an intact line is one record, an empty one none', () => {
    expect(recordsInLine(A)).toEqual({ records: [JSON.parse(A)], damaged: false })
    expect(recordsInLine('null')).toEqual({ records: [null], damaged: false })
    expect(recordsInLine(' \r')).toEqual({ records: [], damaged: false })
    expect(recordsInLine(`\ufeff${A}\r`)).toEqual({ records: [JSON.parse(A)], damaged: false })
  })

  test('a line designed to be expensive is skipped', () => {
    expect(recordsInLine('{"a":'.repeat(200_000)).records).toEqual([])
    expect(recordsInLine(`${'{"a":['.repeat(100_000)}${B}`).damaged).toBe(true)
  })
})
