import type { WaitLabel } from '../session/wait-label.ts'
import type { Signal } from './signals.ts'

/**
 * Data that recognises one kind of screen. Regions and patterns see only the lines that are not empty. An
 * agent's own text must not match, so a rule relies on the layout, the keys at the bottom or the cursor, never
 * on a sentence anywhere.
 */
export type ScreenRule = ScreenPart & {
  /** What is on the screen, as a noun: "an idle composer". One name, one rule. */
  name: string
  shows: Shows
  /** The highest is tried first; of equal ones the first in the list. */
  priority: number
  /** Further parts of the screen that must match. */
  also?: readonly ScreenPart[]
  /** Parts of the screen of which none may match. */
  unless?: readonly ScreenPart[]
  title?: LineTest
  cursor?: CursorPlace
  /** A program that just started looks the same, so it counts only if work was seen before. */
  isAlsoAtStart?: true
  /** Which lines are the ask. Absent: there is none to read. */
  ask?: AskCut
  /** The kind of wait: the first whose patterns fit the lines of the ask, or of the region if there is no ask. */
  labels?: readonly LabelTest[]
  signal?: Signal
}

/** Always fits if it has no pattern. */
type LabelTest = LineTest & { label: WaitLabel }

/**
 * A dialog waits for an answer, an idle program for something to do; a failed one is idle after an error, which
 * is the ask; a finished one has left the pane to its shell.
 */
export type Shows = 'dialog' | 'idle' | 'failed' | 'finished' | 'working'

/** A region of the screen and the conditions for its lines. */
export type ScreenPart = LineTest & {
  /** Absent: the whole screen. */
  region?: Region
  /** The region has a line, and every line matches one of these. */
  every?: readonly Pattern[]
}

export type LineTest = {
  /** Each matches some line. */
  all?: readonly Pattern[]
  /** At least one matches some line. */
  any?: readonly Pattern[]
  /** None matches any line. */
  none?: readonly Pattern[]
}

/** Steps run one after the other, each within what the one before has left. */
export type Region = RegionStep | readonly RegionStep[]

/** If several places match an anchor, the last one counts. `from` includes it. */
export type RegionStep =
  | { last: number }
  | { first: number }
  | { from: Anchor }
  | { after: Anchor }
  | { before: Anchor }

/** One line, or several consecutive ones. */
export type Anchor = Pattern | readonly Pattern[]

/** Matched against one line at a time. Only the flags `i` and `u` are allowed. */
export type Pattern = RegExp

/** `end`: it is visible right behind the text of the last line. */
export type CursorPlace = 'shown' | 'hidden' | 'end'

/** Cut out of all lines, including the empty ones, without frames. */
export type AskCut = {
  /** It begins below the last line that matches; of several patterns, the first that matches any line. */
  below?: readonly Pattern[]
  /** The same, including that line. */
  from?: readonly Pattern[]
  /** The search for the beginning starts above the last line that matches this. */
  mark?: Pattern
  /** It ends before the first line that matches this, except for its own first line. */
  until?: Pattern
  /** Everything right of the end of the last line that matches this is left out: a sidebar. */
  within?: Pattern
  /** At most this many lines, counted from the end. */
  last?: number
  /** Lines to leave out. */
  drop?: readonly Pattern[]
  /** The last line is the question: it comes first, then an empty line, then what stands above it. */
  isLastFirst?: boolean
}

export function rulesInOrder(rules: readonly ScreenRule[]): ScreenRule[] {
  return rules.toSorted((one, other) => other.priority - one.priority)
}
