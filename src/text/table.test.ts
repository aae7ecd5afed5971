import { expect, test } from 'vitest'
import { type Column, table } from './table.ts'

const NAME: Column<string[]> = { head: 'NAME', text: ([name = '']) => name }
const WHAT: Column<string[]> = { head: 'WHAT', text: ([, what = '']) => what }
const columns = [NAME, WHAT]

test('columns line up whatever the width of their characters', () => {
  const rows = [
    ['a', 'x'],
    ['項目項', 'y'],
  ]
  expect(table(rows, columns, { width: 80 })).toBe('NAME    WHAT\na       x\n項目項  y')
})

test('a line is cut at the width, never inside a character', () => {
  expect(table([['項目項目']], [NAME], { width: 6 }, { header: false })).toBe('項目…')
})

test('nothing that controls a terminal comes through', () => {
  const rows = [['a\u001b[31mred\u0007', 'b\nc']]
  expect(table(rows, columns, {}, { header: false })).toBe('ared  b c')
})

test('a painted cell keeps its column, and is painted as far as it is shown', () => {
  const paint = (_: string, text: string) => `<${text}>`
  const toned = columns.map((column): Column<string[]> => ({ ...column, tone: () => 'good' }))
  const rows = [['ab', 'something long']]
  const body = (width: number) => table(rows, toned, { width, paint }).split('\n')[1]
  expect(body(80)).toBe('<ab>    <something long>')
  expect(body(12)).toBe('<ab>    <somet…>')
  expect(body(5)).toBe('ab  …')
})

test('a column is left out where there is no room for it', () => {
  const narrow = [NAME, { ...WHAT, from: 20 }]
  expect(table([['ab', 'x']], narrow, { width: 19 })).toBe('NAME\nab')
  expect(table([['ab', 'x']], narrow, { width: 20 })).toBe('NAME  WHAT\nab    x')
})
