import type { Screen } from './screen.ts'

/**
 * How a look compares with the one before it. `spinning`: only signs of life moved, such as spinners, timers,
 * token counters and clocks. `scrolled-far`: so much is new that we may have missed something. A moving
 * percentage is progress, so it counts as a change.
 */
export type Likeness = 'identical' | 'spinning' | 'changed' | 'scrolled-far'

/** The cursor does not count: an idle prompt may blink. */
export function compareLooks(previous: Screen, next: Screen): Likeness {
  const hasSameTitle = previous.title === next.title
  if (hasSameTitle && isSame(previous.lines, next.lines)) return 'identical'
  if (hasSameTitle || stillTitle(previous.title) === stillTitle(next.title)) {
    if (isStill(previous.lines, next.lines)) return 'spinning'
  }
  return hasScrolledFar(previous.lines, next.lines) ? 'scrolled-far' : 'changed'
}

/** A title without its spinner, so that it changes only when the program says something else. */
export function stillTitle(title: string): string {
  return stillLine(title)
}

/** Rotating hints come and go beside the spinner. */
const HINT = /^\s*(?:[⎿└]\s*)?(?:※\s*)?(?:Tip|Hint): /

/** What may move while nothing happens, in the order in which we remove it. */
const MOVING: readonly RegExp[] = [
  // Spinners: braille, stars, quarter circles, a light that runs back and forth.
  /[\u2800-\u28ff]/gu,
  /[✻✽✶✳✢✺✦✧∗◐◓◑◒◴◷◶◵◜◝◞◟◠◡⏳⌛]/gu,
  /[■⬝]*⬝[■⬝]*/gu,
  /(?<=^|[\s[(])[|/\\*·–-](?=$|[\s\])])/gu,
  // A mark that blinks in a title: "[ ! ] Action Required", "[ . ] Action Required".
  /\[ [!.] \]/g,
  // Bullets blink while a tool runs.
  /^\s*[●⏺•◦○◯∙⊶⊷]/u,
  // Token counters, before timers take their digits: "↓ 1.2k tokens", "12,345 tokens".
  /[↑↓⇡⇣]?\s?\d[\d.,]*\s?[kKM]?\s?tokens?\b/gu,
  /[↑↓⇡⇣]\s?\d[\d.,]*\s?[kKM]?/gu,
  // Timers and clocks: "12s", "1m 03s", "1h 2m", "0:42", "20:13:22", "8:05 PM".
  /(?<![\w.:])\d{1,3}:\d{2}(?::\d{2})?(?:\.\d+)?(?:\s?[AaPp][Mm])?(?![\w:])/gu,
  /(?<![\w.])(?:\d+(?:\.\d+)?\s?(?:h|hours?|m|mins?|minutes?|s|secs?|seconds?)\b\s?)+/gu,
  // A cursor that the program itself draws.
  /(?<=^|\s)[█▉▊▋▌▍▎▏▮_]$/u,
  // Dots that grow.
  /(?:\.{1,6}|…)(?=\s|\)|$)/gu,
]

const MOST_CHARS = 1_000

/** Most lines are exactly the same, so few need a closer look. */
function isStill(previous: readonly string[], next: readonly string[]): boolean {
  if (
    previous.length === next.length &&
    previous.every((line, at) => isStillLine(line, next[at]))
  ) {
    return true
  }
  const before = previous.filter((line) => !HINT.test(line))
  const after = next.filter((line) => !HINT.test(line))
  if (before.length === previous.length && after.length === next.length) return false
  return before.length === after.length && before.every((line, at) => isStillLine(line, after[at]))
}

function isStillLine(line: string, other: string | undefined): boolean {
  return line === other || (other !== undefined && stillLine(line) === stillLine(other))
}

function stillLine(line: string): string {
  const bare = MOVING.reduce((text, moving) => text.replace(moving, ' '), line.slice(0, MOST_CHARS))
  return bare.replace(/\s+/g, ' ').trim() + line.slice(MOST_CHARS)
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((line, at) => line === others[at])
}

/** At most a fifth of what is there now was there before. */
const FAR = 0.2
/** A screen with fewer lines cannot scroll far. */
const FEWEST_LINES = 6

function hasScrolledFar(before: readonly string[], after: readonly string[]): boolean {
  const shown = after.filter(Boolean)
  if (shown.length < FEWEST_LINES) return false
  const known = new Set(before)
  return shown.filter((line) => known.has(line)).length <= shown.length * FAR
}
