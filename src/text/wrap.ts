import stringWidth from 'string-width'

/** Breaks at spaces; a word that is wider than a line stays whole, so that it can be copied. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  const [, indentation = '', body = ''] = /^(\s*)(.*)$/s.exec(text) ?? []
  const [first = '', ...words] = body.split(' ')
  let line = indentation + first
  for (const word of words) {
    if (stringWidth(`${line} ${word}`) <= width) {
      line += ` ${word}`
      continue
    }
    lines.push(line)
    line = word
  }
  return [...lines, line]
}

/** A length of time as one says it: a moment, 42 seconds, 1 minute, 3 hours, 2 days. */
export function spelledDuration(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 1) return 'a moment'
  const [count, unit] =
    seconds < 60
      ? [seconds, 'second']
      : seconds < 3_600
        ? [Math.floor(seconds / 60), 'minute']
        : seconds < 86_400
          ? [Math.floor(seconds / 3_600), 'hour']
          : [Math.floor(seconds / 86_400), 'day']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
