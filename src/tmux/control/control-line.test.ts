import { describe, expect, test } from 'vitest'
import { controlLine } from './control-line.ts'

describe('a line for a control client', () => {
  test('has every word in quotes, and separates the commands', () => {
    const line = controlLine([
      ['display-message', '-p', "it's; $HOME"],
      ['capture-pane', ''],
    ])
    expect(line).toBe(`'display-message' '-p' 'it'"'"'s; $HOME' ; 'capture-pane' ''\n`)
  })

  test.each(['a\nkill-server', 'a\0b'])('refuses a word that would end it: %j', (word) => {
    expect(() => controlLine([['display-message', word]])).toThrow('line break or a NUL')
  })

  test('refuses to be empty, which would end the client', () => {
    expect(() => controlLine([])).toThrow('no words')
    expect(() => controlLine([[]])).toThrow('no words')
  })
})
