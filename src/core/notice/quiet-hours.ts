/** Minutes of the day; over midnight if they end before they begin. */
export type QuietHours = { from: number; to: number }

const DAY = 24 * 60

/** `22:00-07:00`; undefined if it is not like that, or if it begins when it ends. */
export function parseQuietHours(text: string): QuietHours | undefined {
  const [, ...numbers] = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = numbers.map(Number)
  const hours = { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute }
  return hours.from === hours.to ? undefined : hours
}

/** How many minutes are left of them; 0 outside of them. `minute`: of the local day, with its fraction. */
export function quietMinutesLeft({ from, to }: QuietHours, minute: number): number {
  const length = (to - from + DAY) % DAY
  const elapsed = (minute - from + DAY) % DAY
  return elapsed < length ? length - elapsed : 0
}
