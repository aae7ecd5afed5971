import { expect, test } from 'vitest'
import { snoozeWords } from './snooze-words.ts'

/** A Wednesday, in the time zone of whoever runs this. */
const at = (hours: number, minutes: number) => new Date(2026, 10, 18, hours, minutes)
const midnight = at(0, 12)
const noon = at(12, 0)

test.each([
  ['today', midnight, at(9, 0), undefined],
  ['today docs', midnight, at(9, 0), 'docs'],
  ['docs today', midnight, at(9, 0), 'docs'],
  ['today 0:30', midnight, at(0, 30), undefined],
  ['0:30 today', midnight, at(0, 30), undefined],
  ['docs 14:00 today', noon, at(14, 0), 'docs'],
  ['docs today 14:00', noon, at(14, 0), 'docs'],
  ['today 14:00 docs', noon, at(14, 0), 'docs'],
])('%j is a time and a target', (typed, now, until, target) => {
  expect(snoozeWords(typed.split(' '), now)).toEqual({ time: { until: until.getTime() }, target })
})

test.each([
  ['1h 30m', undefined],
  ['1h 30m docs', 'docs'],
  ['docs 1h 30m', 'docs'],
])('%j has a blank in its time', (typed, target) => {
  expect(snoozeWords(typed.split(' '), noon)).toEqual({ time: { cooldownMs: 5_400_000 }, target })
})

test.each([
  ['today 0:00', midnight, '"today 0:00" is over.'],
  ['today 0:00 docs', midnight, '"today 0:00" is over.'],
  ['docs today 0:00', midnight, '"today 0:00" is over.'],
  ['today', noon, '"today" is over.'],
  ['today docs', noon, '"today" is over.'],
  ['today soon', noon, '"today" is over.'],
  ['10:00 today', noon, '"10:00 today" is over.'],
  ['docs api today 0:00', noon, '"today 0:00" is over.'],
  ['docs api today', noon, '"today" is over.'],
  ['docs api 30m', noon, 'A target with blanks must be quoted.'],
  ['docs 40d', noon, '"40d" is more than 31 days away.'],
  ['31d 5h', noon, '"31d 5h" is more than 31 days away.'],
  ['1h ', noon, 'The target has an empty name.'],
  ['soon docs', noon, '"soon" cannot be read as a time.'],
])('%j is refused', (typed, now, why) => {
  expect(() => snoozeWords(typed.split(' '), now)).toThrow(why)
})
