import { afterEach, expect, test, vi } from 'vitest'
import { COMMANDS, programWith, runProgram } from './program.ts'

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = 0
})

test('the list has each command under the names given in its file', async () => {
  const { commands } = await programWith()
  const named = commands.map((command) => [command.name(), ...command.aliases()].join('|'))
  expect(named).toEqual(Object.keys(COMMANDS))
})

const HOSTILE = 'no\u001b[31m\u001b]2;title\u0007\u202e\u3164such'

test.each([
  ['an unknown command', [HOSTILE]],
  ['an unknown option', ['list', `--${HOSTILE}`]],
  ['a value that cannot be', ['skip', '--cooldown-ms', HOSTILE]],
  ['an argument too many', ['list', HOSTILE]],
  ['help on nothing', ['help', HOSTILE]],
])('the error on %s shows what was typed without its controls', async (_, args) => {
  let shown = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    shown += String(text)
    return true
  })
  await runProgram(['node', 'trailboss', ...args])
  expect(shown).toMatch(/^\P{C}+\n/u)
  expect(shown).not.toMatch(/[^\P{C}\n]|\u3164/u)
  expect(process.exitCode).toBe(2)
})
