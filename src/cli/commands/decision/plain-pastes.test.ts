import { afterEach, expect, test, vi } from 'vitest'
import { PlainPastes } from './plain-pastes.ts'

afterEach(() => vi.useRealTimers())

function passed(...chunks: Buffer[]): string {
  const pastes = new PlainPastes({ setRawMode: () => undefined as never })
  for (const chunk of chunks) pastes.write(chunk)
  return String(pastes.read() ?? '')
}

const START = '\u001b[200~'
const END = '\u001b[201~'

test.each([
  ['keys', 'a\u001b[A\u0003\u0015漢\r', 'a\u001b[A\u0003\u0015漢\r'],
  ['a paste', `x${START}one\r\n\ttwo${END}y`, `x${START}one\r\n\ttwo${END}y`],
  ['its control characters', `${START}a\u0003\u0004\u001b[Ab\u0015${END}`, `${START}a[Ab${END}`],
  ['two pastes', `${START}a${END}\u0003${START}b${END}`, `${START}a${END}\u0003${START}b${END}`],
  ['a beginning within a paste', `${START}a${START}b${END}`, `${START}a[200~b${END}`],
])('%s, in one chunk and byte by byte', (_, typed, expected) => {
  expect(passed(Buffer.from(typed))).toBe(expected)
  expect(passed(...[...Buffer.from(typed)].map((byte) => Buffer.of(byte)))).toBe(expected)
})

test('a paste whose end does not come is over after a while', () => {
  vi.useFakeTimers()
  const pastes = new PlainPastes({ setRawMode: () => undefined as never })
  pastes.write(`${START}a`)
  vi.advanceTimersByTime(3_000)
  pastes.write('\u0003')
  expect(String(pastes.read())).toBe(`${START}a${END}\u0003`)
})

test('Escape is a key of its own, unless more of a mark comes at once', () => {
  vi.useFakeTimers()
  const pastes = new PlainPastes({ setRawMode: () => undefined as never })
  pastes.write('\u001b')
  vi.advanceTimersByTime(100)
  expect(String(pastes.read())).toBe('\u001b')
  pastes.write('d')
  expect(String(pastes.read())).toBe('d')
})
