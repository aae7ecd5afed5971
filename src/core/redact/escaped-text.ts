/** Before a word. In JSON within a text a line break is a backslash and an `n`; in JSON within JSON it has more of them. */
const BREAK = /(?:\\{1,8}[nrt]){1,9}(?=[^\\\s"'`])/g

/**
 * What the text has where breaks are written out: there a word begins behind `\n`, which otherwise looks
 * like a part of it. `fill` keeps the length of a text, and puts `mark` where something was found.
 */
export function filledBetweenBreaks(
  text: string,
  fill: (text: string) => string,
  mark: string,
): string {
  const broken = text.replace(BREAK, (written) => `${' '.repeat(written.length - 1)}\n`)
  if (broken === text) return text
  const found = fill(broken)
  let filled = ''
  let from = 0
  for (const { index, 0: run } of found.matchAll(new RegExp(`${mark}+`, 'g'))) {
    filled += text.slice(from, index) + run
    from = index + run.length
  }
  return filled + text.slice(from)
}
