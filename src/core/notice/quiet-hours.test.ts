import { expect, test } from 'vitest'
import { parseQuietHours, quietMinutesLeft } from './quiet-hours.ts'

const at = (text: string): number => {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}

test.each([
  ['22:00-07:00', '21:59', 0],
  ['22:00-07:00', '22:00', 540],
  ['22:00-07:00', '23:59', 421],
  ['22:00-07:00', '00:00', 420],
  ['22:00-07:00', '06:59', 1],
  ['22:00-07:00', '07:00', 0],
  ['12:00-13:30', '11:59', 0],
  ['12:00-13:30', '12:30', 60],
  ['12:00-13:30', '13:30', 0],
  ['00:00-23:59', '23:58', 1],
])('in %s, at %s, %i minutes are left', (hours, time, left) => {
  expect(quietMinutesLeft(parseQuietHours(hours)!, at(time))).toBe(left)
})

test.each(['', '22-7', '24:00-07:00', '22:00-22:00', '22:60-07:00', '22:00 - 07:00', '1:00-02:00'])(
  '"%s" is not understood',
  (text) => {
    expect(parseQuietHours(text)).toBeUndefined()
  },
)
