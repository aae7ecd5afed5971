import { expect, test } from 'vitest'
import { screenOf } from '../screen/screen.ts'
import { lastLines } from './report.ts'

const KEY = `sk-ant-api03-${'a1B2c3D4'.repeat(8)}`

test('the frozen screen has its last lines, without secrets and empty ones', () => {
  const screen = screenOf(`first\n${'line\n'.repeat(9)}\nAPI key: ${KEY}\n\nPassword: swordfish\n`)
  expect(lastLines(screen)).toEqual([
    ...['first', ...Array<string>(9).fill('line')],
    ...['API key: [redacted]', 'Password: [redacted]'],
  ])
})

test('a secret that is cut off on any side is found before', () => {
  const long = `${'x '.repeat(90)}token ${KEY}`
  const above = [KEY.slice(0, 40), `${KEY.slice(40)} ${'y'.repeat(7)}`]
  const text = [...above, ...Array<string>(11).fill('line'), long].join('\n')
  const shown = lastLines(screenOf(text, { width: 40 })).join('\n')
  for (const part of [KEY.slice(0, 16), KEY.slice(45, 60)]) expect(shown).not.toContain(part)
})

test('a narrow pane wraps a secret anywhere', () => {
  const rows = `Use ${KEY} now`.match(/.{1,20}/g) ?? []
  const shown = lastLines(screenOf(rows.join('\n'), { width: 20 })).join('')
  expect(shown).not.toMatch(/[a-d]\d[A-D]/)
  expect(shown).toMatch(/^Use \[redacted\].* now$/)
})
