import { expect, test } from 'vitest'
import { table } from './table.ts'

test('columns line up whatever the width of their characters', () => {
  expect(
    table(
      [
        ['a', 'x'],
        ['項目', 'y'],
      ],
      80,
    ),
  ).toBe('a     x\n項目  y')
})

test('a line is cut at the width, never inside a character', () => {
  expect(table([['項目項目']], 6)).toBe('項目…')
})

test('nothing that controls a terminal comes through', () => {
  expect(table([['a\u001b[31mred\u0007', 'b\nc']], 80)).toBe('ared  b c')
})

test('a painted cell keeps its column, and is painted as far as it is shown', () => {
  const paint = (cell: string, row: number) => (row === 1 ? `<${cell}>` : cell)
  const rows = [
    ['NAME', 'WHAT'],
    ['ab', 'something long'],
  ]
  expect(table(rows, 80, paint)).toBe('NAME  WHAT\n<ab>    <something long>')
  expect(table(rows, 12, paint)).toBe('NAME  WHAT\n<ab>    <somet…>')
  expect(table(rows, 5, paint)).toBe('NAME…\nab  …')
})
