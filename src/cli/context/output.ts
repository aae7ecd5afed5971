import { plainJson, terminalText } from '../../core/text.ts'

export function print(text: string): void {
  process.stdout.write(`${terminalText(text)}\n`)
}

/** Notes, progress and warnings: everything that is not the result. */
export function note(text: string): void {
  process.stderr.write(`${terminalText(text)}\n`)
}

export function printJson(value: unknown): void {
  print(plainJson(JSON.stringify(value, null, 2)))
}

/** One value on one line, of many. */
export function printJsonLine(value: unknown): void {
  print(plainJson(JSON.stringify(value)))
}

/** How long ago, in the largest unit that says enough: 42s, 7m, 3h, 2d. */
export function age(since: number | null, now = Date.now()): string {
  if (since === null) return '-'
  const seconds = Math.max(0, Math.floor((now - since) / 1_000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}
