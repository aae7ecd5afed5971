import { remainingText } from './duration.ts'

const SOON_MS = 3_600_000
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** When something comes back: `in 25m`, `at 14:30`, `Thu 09:00`. Local time. */
export function returnText(at: number, now: number): string {
  if (at - now < SOON_MS) return `in ${remainingText(at, now)}`
  const then = new Date(at)
  const time = `${twoDigits(then.getHours())}:${twoDigits(then.getMinutes())}`
  const isToday = then.toDateString() === new Date(now).toDateString()
  if (isToday) return `at ${time}`
  const isThisWeek = at - now < 6 * 24 * SOON_MS
  const day = `${then.getFullYear()}-${twoDigits(then.getMonth() + 1)}-${twoDigits(then.getDate())}`
  return isThisWeek ? `${WEEKDAYS[then.getDay()]} ${time}` : `${day} ${time}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
