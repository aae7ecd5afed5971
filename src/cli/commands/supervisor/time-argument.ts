import { TrailBossError } from '../../../core/errors.ts'

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** `45m`, `2h` and `7d` mean ago; dates and times of day are local. Epoch ms. Throws `BAD_USAGE`. */
export function momentOf(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (count && unit) return now - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
  const [, day, time] = /^(?:(\d{4}-\d\d-\d\d))?[T ]?(\d\d:\d\d(?::\d\d)?)?$/.exec(text) ?? []
  const at =
    day || time ? Date.parse(`${day ?? localDay(now)}T${time ?? '00:00'}`) : Date.parse(text)
  if (Number.isFinite(at)) return at
  throw new TrailBossError('BAD_USAGE', `"${text}" is not a time.`, {
    hint: 'Such as 45m, 2h or 7d (ago), 14:30 (today), or 2026-01-31.',
  })
}

function localDay(now: number): string {
  const date = new Date(now)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
