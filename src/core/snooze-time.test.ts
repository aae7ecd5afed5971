import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LONGEST_SNOOZE_MS, readSnooze, SNOOZE_EXAMPLES, unreadableTime } from './snooze-time.ts'

/** A Wednesday, in the time zone of whoever runs this. */
const NOON = new Date(2026, 10, 18, 12, 0)
const at = (days: number, hours: number, minutes = 0) => ({
  until: new Date(2026, 10, 18 + days, hours, minutes).getTime(),
})

function snoozeTime(typed: string, now: Date) {
  const read = readSnooze(typed, now)
  return read && 'time' in read ? read.time : undefined
}

test.each([
  ['45s', { cooldownMs: 45_000 }],
  ['5m', { cooldownMs: 300_000 }],
  ['1h30m', { cooldownMs: 5_400_000 }],
  ['1h 30m', { cooldownMs: 5_400_000 }],
  ['1d  30s', { cooldownMs: 86_430_000 }],
  ['1d', { cooldownMs: 86_400_000 }],
  [' 2H ', { cooldownMs: 7_200_000 }],
  ['14:30', at(0, 14, 30)],
  ['9am', at(1, 9)],
  ['12am', at(1, 0)],
  ['12pm', at(1, 12)],
  ['9:05 pm', at(0, 21, 5)],
  ['11:59', at(1, 11, 59)],
  ['today 15:00', at(0, 15)],
  ['tomorrow', at(1, 9)],
  ['Tomorrow  8:15', at(1, 8, 15)],
  ['tomorrow morning', at(1, 9)],
  ['morning', at(1, 9)],
  ['noon', at(1, 12)],
  ['midnight', at(1, 0)],
  ['tomorrow midnight', at(2, 0)],
  ['today midnight', at(1, 0)],
  ['9am monday', at(5, 9)],
  ['15:00 today', at(0, 15)],
  ['tomorrow noon', at(1, 12)],
  ['monday noon', at(5, 12)],
  ['thu', at(1, 9)],
  ['monday 10am', at(5, 10)],
  ['wed', at(7, 9)],
])('%j is understood', (typed, expected) => {
  expect(snoozeTime(typed, NOON)).toEqual(expected)
})

test.each([
  ...['', '   ', '0m', '30', '-5m', '5 m', '25:00', '12:60', '13pm', '0am', '32d', '99999h'],
  ...[
    'tomorrow soon',
    '999999d',
    'noon morning',
    'yesterday',
    'mo',
    'in a while',
    '5m;reboot',
    '1m1h',
    'monday monday',
  ],
])('%j is not a time', (typed) => {
  expect(snoozeTime(typed, NOON)).toBeUndefined()
})

test.each([
  ['0m', 'is over at once.'],
  ['32d', 'is more than 31 days away.'],
  ['999999d', 'is more than 31 days away.'],
  ['9999999999999h', 'is more than 31 days away.'],
  ['today 8:00', 'is over.'],
  ['8:00 today', 'is over.'],
  ['today morning', 'is over.'],
  ['today', 'is over.'],
  ['25:00', 'cannot be read as a time.'],
  ['today soon', 'cannot be read as a time.'],
  ['soon\u001b[2J', 'cannot be read as a time.'],
])('%j: why it is none', (typed, why) => {
  const read = readSnooze(typed, NOON) ?? { why: unreadableTime(typed) }
  expect(read).toEqual({ why: expect.stringMatching(/^"[ -~]+" /) })
  expect(read).toEqual({ why: expect.stringContaining(why) })
})

test('before the night ends, tomorrow morning is that of the same date', () => {
  const night = new Date(2026, 10, 18, 2, 30)
  expect(snoozeTime('tomorrow', night)).toEqual(at(0, 9))
  expect(snoozeTime('tomorrow', new Date(2026, 10, 18, 5, 0))).toEqual(at(1, 9))
  expect(snoozeTime('tomorrow 1:00', night)).toEqual(at(1, 1))
})

test('every example that we show is understood', () => {
  for (const example of SNOOZE_EXAMPLES.split(', ')) {
    expect([example, snoozeTime(example, NOON)]).not.toEqual([example, undefined])
  }
})

test('whatever is typed, and whenever, it is in the future and within 31 days, or refused', () => {
  const words = fc.constantFrom(
    'tomorrow',
    'today',
    'fri',
    '9am',
    '14:30',
    '3h',
    '31d',
    '0:00',
    '5',
  )
  const typed = fc.oneof(
    fc.string(),
    fc.array(words, { maxLength: 3 }).map((all) => all.join(' ')),
  )
  const time = fc.date({ min: new Date(2000, 0), max: new Date(2100, 0), noInvalidDate: true })
  fc.assert(
    fc.property(typed, time, (text, now) => {
      const snooze = snoozeTime(text, now)
      if (!snooze) return
      const ms = 'until' in snooze ? snooze.until - now.getTime() : snooze.cooldownMs
      expect(ms).toBeGreaterThan(0)
      expect(ms).toBeLessThanOrEqual(LONGEST_SNOOZE_MS)
    }),
  )
})
