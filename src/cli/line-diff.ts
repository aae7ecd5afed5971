import { displayText } from '../core/text.ts'

/**
 * How a file changes, for reading: one hunk with three lines around it. `undefined` means that the
 * file is not there. Empty when nothing changes.
 */
export function lineDiff(
  path: string,
  before: Buffer | undefined,
  after: Buffer | undefined,
): string {
  const old = linesOf(before)
  const now = linesOf(after)
  const prefix = commonPrefix(old, now)
  const suffix = commonPrefix(old.slice(prefix).reverse(), now.slice(prefix).reverse())
  const removed = old.slice(prefix, old.length - suffix)
  const added = now.slice(prefix, now.length - suffix)
  if (removed.length + added.length === 0 && Boolean(before) === Boolean(after)) return ''
  const from = Math.max(0, prefix - CONTEXT)
  const above = old.slice(from, prefix)
  const below = old.slice(old.length - suffix, old.length - suffix + CONTEXT)
  const around = above.length + below.length
  const range = (count: number) => `${count === 0 ? 0 : from + 1},${count}`
  return [
    `--- ${before ? path : '/dev/null'}`,
    `+++ ${after ? path : '/dev/null'}`,
    `@@ -${range(around + removed.length)} +${range(around + added.length)} @@`,
    ...above.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...below.map((line) => ` ${line}`),
    '',
  ].join('\n')
}

const CONTEXT = 3

/** The last line of a file that ends in no newline is another line than the same with one. */
function linesOf(bytes: Buffer | undefined): string[] {
  if (!bytes || bytes.length === 0) return []
  const lines = bytes.toString().split('\n')
  const last = lines.pop()!
  const whole = lines.map((line) => displayText(line).replaceAll('\n', ''))
  return last === '' ? whole : [...whole, `${displayText(last)}\n\\ No newline at end of file`]
}

function commonPrefix(one: string[], other: string[]): number {
  const different = one.findIndex((line, index) => line !== other[index])
  return different === -1 ? one.length : different
}
