const MOST_BEFORE = 120
const MOST_AFTER = 400
/** Where a name has to be for what is on the next line to be its value. */
const NAME_CHARS = 48
const RIGHT_FRAME = /[│┃║|]$/
const LEFT_FRAME = /^[ \t]*[│┃║|]?[ \t]*[>❯›]?[ \t]*/
/** The next name: that line has a value of its own. */
const NEXT_NAME = /^[\w.-]{1,60}:(?:\s|$)/
/** A word, or a sign that a value follows. */
const OPEN_END = /[\p{L}\p{N}_:=："'`-]$/u
const FLAG = /(?:^|\s)--?[A-Za-z][\w-]{0,30}=?$/

/**
 * Programs also wrap between words: a line ends with the name of a secret, and the next one begins with the
 * secret. `fill` keeps the length of a text; it gets the end of one line and the next as one.
 */
export function filledAcrossLines(
  text: string,
  fill: (text: string) => string,
  name: RegExp,
): string {
  const lines = text.split('\n')
  for (const [at, next] of lines.entries()) {
    const before = withoutRightFrame(lines[at - 1] ?? '').slice(-MOST_BEFORE)
    if (!OPEN_END.test(before)) continue
    if (!name.test(before.slice(-NAME_CHARS)) && !FLAG.test(before)) continue
    const start = LEFT_FRAME.exec(next)?.[0].length ?? 0
    if (NEXT_NAME.test(next.slice(start))) continue
    const end = Math.min(next.length, start + MOST_AFTER)
    const value = fill(`${before} ${next.slice(start, end)}`).slice(before.length + 1)
    lines[at] = next.slice(0, start) + value + next.slice(end)
  }
  return lines.join('\n')
}

function withoutRightFrame(line: string): string {
  return line.trimEnd().replace(RIGHT_FRAME, '').trimEnd()
}
