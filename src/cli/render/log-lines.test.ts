import { expect, test } from 'vitest'
import { plain } from '../../text/paint.ts'
import { logLineText, parseLogLine } from './log-lines.ts'

const NOW = new Date(2026, 0, 31, 15, 0, 0)
const at = (hour: number, day = 31) => new Date(2026, 0, day, hour, 5, 9).getTime()
const shown = (line: unknown) =>
  logLineText(parseLogLine(typeof line === 'string' ? line : JSON.stringify(line)), NOW, plain)

test('a line is its time, its level, its message and the other fields by name', () => {
  const line = {
    level: 30,
    time: at(9),
    pid: 1,
    from: 'working',
    to: 'stuck',
    msg: 'session changed',
  }
  expect(shown(line)).toBe('09:05:09 info  session changed from=working to=stuck')
})

test('a line of another day has its date', () => {
  expect(shown({ level: 40, time: at(9, 3), msg: 'm' })).toBe('2026-01-03 09:05:09 warn  m')
})

test('values with spaces are quoted, objects are JSON, and only null is left out', () => {
  const line = { level: 50, time: at(9), why: 'no such file', x: { y: [1] }, z: null, msg: 'm' }
  expect(shown(line)).toBe('09:05:09 error m why="no such file" x={"y":[1]}')
})

test.for([
  ['plain text', 'FATAL ERROR: out of memory', 'FATAL ERROR: out of memory'],
  ['an escape sequence in it', '\x1b]0;gone\x07Boom', 'Boom'],
  [
    'an escape sequence in a value',
    { level: 60, time: at(9), msg: '\x1b[2Jm' },
    '09:05:09 fatal m',
  ],
  ['a line without any of it', {}, '--:--:--       '],
])('shows %s', ([, line, text]) => {
  expect(shown(line)).toBe(text)
})
