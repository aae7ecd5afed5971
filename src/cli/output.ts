export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Notes, progress and warnings: everything that is not the result. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2).replace(NOT_PLAIN, escaped))
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

/** What JSON leaves raw and a terminal would obey: DEL, C1, bidi and other invisible controls. */
const NOT_PLAIN =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
