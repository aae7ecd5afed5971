import { expect, test } from 'vitest'
import { queueItem } from '../../../test/support/views/queue-item.ts'
import { entriesOf } from './entry.ts'
import type { Key } from './keys.ts'
import { beginSnooze, pressSnoozeKey, type SnoozeStep } from './snooze.ts'

const NOON = new Date(2026, 10, 18, 12, 0).getTime()
const [entry] = entriesOf([queueItem('s1')])
const enter: Key = { kind: 'named', name: 'enter' }

test.each([
  [[], { cooldownMs: 300_000 }],
  [['z'], { cooldownMs: 1_800_000 }],
  [['z', 'z'], { cooldownMs: 7_200_000 }],
  [['z', 'z', 'z'], { until: new Date(2026, 10, 19, 9, 0).getTime() }],
  [['z', 'z', 'z', 'z'], { cooldownMs: 300_000 }],
  [['down', 'down', 'up'], { cooldownMs: 1_800_000 }],
  [['1', '4', ':', '3', '0'], { until: new Date(2026, 10, 18, 14, 30).getTime() }],
  [['9', '9', 'backspace', 'm'], { cooldownMs: 540_000 }],
  [['9', 'ctrl-u'], { cooldownMs: 300_000 }],
  [['9', 'down'], { cooldownMs: 1_800_000 }],
])('%j and Enter', (keys, time) => {
  expect(pressed(...keys, 'enter')).toEqual({ kind: 'chosen', entry, time })
})

test('what is not a time is named, and can be corrected', () => {
  expect(pressed('s', 'o', 'o', 'n', 'enter')).toMatchObject({
    kind: 'unreadable',
    why: expect.stringContaining('"soon" cannot be read as a time.'),
  })
})

test('Escape leaves', () => {
  expect(pressed('3', 'escape')).toEqual({ kind: 'left' })
})

test('a paste is cut, and nothing in it is obeyed', () => {
  const paste = { kind: 'paste', text: `\u001b[2J${'9'.repeat(100_000)}` } as const
  const step = pressSnoozeKey(beginSnooze(entry!), paste, NOON)
  expect(step).toMatchObject({ snoozing: { typed: '9'.repeat(30) } })
})

function pressed(...keys: string[]): SnoozeStep {
  let step: SnoozeStep = { kind: 'choosing', snoozing: beginSnooze(entry!) }
  for (const key of keys) {
    if (step.kind !== 'choosing') throw new Error(`${key} comes too late`)
    step = pressSnoozeKey(step.snoozing, keyOf(key), NOON)
  }
  return step
}

function keyOf(key: string): Key {
  if (key === 'enter') return enter
  return key.length > 1 ? ({ kind: 'named', name: key } as Key) : { kind: 'text', text: key }
}
