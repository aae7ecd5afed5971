import { expect, test } from 'vitest'
import { type Column, table } from './table.ts'

const NAME: Column<string[]> = ['NAME', ([name = '']) => name]
const WHAT: Column<string[]> = ['WHAT', ([, what = '']) => what]
const columns = [NAME, WHAT]

test('columns line up, whatever the width of their characters', () => {
  const rows = [
    ['a', 'x'],
    ['項目項', 'y'],
  ]
  expect(table(rows, { width: 80 }, columns)).toBe('NAME    WHAT\na       x\n項目項  y')
})

test('a line is cut at the width, never inside a character', () => {
  expect(table([['項目項目']], { width: 6, header: false }, [NAME])).toBe('項目…')
})

test('nothing that controls a terminal comes through', () => {
  const rows = [['a\u001b[31mred\u0007', 'b\nc']]
  expect(table(rows, { header: false }, columns)).toBe('ared  b c')
})

test('a painted cell keeps its column, and is painted as far as it is shown', () => {
  const paint = (_: string, text: string) => `<${text}>`
  const toned = columns.map(
    ([head, text]): Column<string[]> => [head, text, { tone: () => 'good' }],
  )
  const rows = [['ab', 'something long']]
  const body = (width: number) => table(rows, { width, paint }, toned).split('\n')[1]
  expect(body(80)).toBe('<ab>    <something long>')
  expect(body(12)).toBe('<ab>    <somet…>')
  expect(body(5)).toBe('ab  …')
})

test('a column is left out if there is no room for it', () => {
  const narrow = [NAME, [WHAT[0], WHAT[1], { from: 20 }] as const]
  expect(table([['ab', 'x']], { width: 19 }, narrow)).toBe('NAME\nab')
  expect(table([['ab', 'x']], { width: 20 }, narrow)).toBe('NAME  WHAT\nab    x')
})
