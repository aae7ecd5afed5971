import { expect, test } from 'vitest'
import { parseStat } from './linux.ts'
import { processState, startOf } from './process-state.ts'

test('a command name with spaces and parentheses does not shift the fields of /proc/PID/stat', () => {
  const after = `S 42 41 0 0 77 ${'0 '.repeat(13)}12300 0`
  expect(parseStat(Buffer.from(`7 (a) b) (c) ${after}`))).toEqual({
    name: 'a) b) (c',
    state: 'S',
    parent: 42,
    group: 41,
    foreground: 77,
    start: 12_300,
  })
})

test('a process that was seen is identified by its start, even if the clock was set since', () => {
  const start = startOf(process.pid)
  expect(processState(process.pid, { start, knownAt: 0 })).toBe('alive')
  expect(processState(process.pid, { start: (start ?? 0) + 1, knownAt: Date.now() })).toBe('gone')
})
