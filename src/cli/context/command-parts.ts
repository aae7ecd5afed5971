import { type Command, InvalidArgumentError, Option } from 'commander'

/** What the commands about runtimes, threads and dispatches are put together from. */
export function command(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).exitOverride()
}

export function json(): Option {
  return new Option('--json', 'print JSON')
}

/** For an option that may be given several times, or with several values. */
export function collected(value: string, before: string[] = []): string[] {
  return [...before, ...value.split(',')]
}

export function upTo(most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= 1 && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`)
  }
}
