import { InvalidArgumentError } from 'commander'

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `45s`, `30m`, `2h`, `1d`, in ms. For commander. */
export function durationArgument(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const ms = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
  if (ms > 0) return ms
  throw new InvalidArgumentError('Such as 45s, 30m, 2h or 1d.')
}
