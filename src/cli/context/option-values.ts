import { type Command, InvalidArgumentError } from 'commander'
import { TrailBossError } from '../../core/errors.ts'

/** For an option that may be given several times, or with several values. */
export function collected(value: string, before: string[] = []): string[] {
  return [...before, ...value.split(',')]
}

export function upTo(most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= 1 && value <= most) return value
    throw new InvalidArgumentError(`Must be a whole number from 1 to ${most}.`)
  }
}

const UNIT_MS = { '': 1_000, s: 1_000, m: 60_000, h: 3_600_000 }

/** In milliseconds. */
export function duration(text: string): number {
  const [, number, unit = ''] = /^(\d{1,6})([smh]?)$/.exec(text) ?? []
  if (number) return Number(number) * UNIT_MS[unit as keyof typeof UNIT_MS]
  throw new InvalidArgumentError('Must be a time such as 90s, 10m or 2h.')
}

/** Commander alone would take the last of an option and its `--no-`. */
export function eitherOr(command: Command): void {
  const isNegated = (flag: string) => command.options.some(({ long }) => long === `--no-${flag}`)
  for (const { long } of command.options) {
    const flag = long?.slice(2) ?? ''
    if (!isNegated(flag)) continue
    const given = new Set<string>()
    for (const name of [flag, `no-${flag}`]) {
      command.on(`option:${name}`, () => {
        if (given.add(name).size === 1) return
        throw new TrailBossError('BAD_USAGE', `--${flag} and --no-${flag} exclude each other.`, {
          hint: 'Leave one of them out. Nothing was changed.',
        })
      })
    }
  }
}
