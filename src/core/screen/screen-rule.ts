import type { WaitLabel } from '../session/wait-label.ts'
import type { Signal } from './signals.ts'

/**
 * Data that recognises one kind of screen. Regions and patterns see the lines that are not empty; what
 * an agent writes must not match, so a rule holds on to the layout, the keys at the bottom or the
 * cursor, never on a sentence anywhere.
 */
export type ScreenRule = ScreenPart & {
  /** What is on the screen, as a noun: "an idle composer". One name, one rule. */
  name: string
  shows: Shows
  /** The highest is tried first; of equal ones the first in the list. */
  priority: number
  /** Further parts of the screen that must be as said. */
  also?: readonly ScreenPart[]
  /** Parts of the screen of which none may be as said. */
  unless?: readonly ScreenPart[]
  title?: LineTest
  cursor?: CursorPlace
  /** A program that was just started looks the same: it counts only where work was seen before. */
  isAlsoAtStart?: true
  /** Which lines are the ask. Absent: there is none to be read. */
  ask?: AskCut
  /** What kind of wait it is: the first whose patterns fit the lines of the ask, or of the region without one. */
  labels?: readonly LabelTest[]
  signal?: Signal
}

/** Without a pattern it always fits. */
type LabelTest = LineTest & { label: WaitLabel }

/**
 * A dialog waits for an answer, an idle program for something to do; a failed one is idle after an
 * error, which is the ask; a finished one has left the pane to its shell.
 */
export type Shows = 'dialog' | 'idle' | 'failed' | 'finished' | 'working'

/** A region of the screen and what its lines must be like. */
export type ScreenPart = LineTest & {
  /** Absent: the whole screen. */
  region?: Region
  /** Every line of the region matches one of these, and there is a line. */
  every?: readonly Pattern[]
}

export type LineTest = {
  /** Each is matched by some line. */
  all?: readonly Pattern[]
  /** One of them is matched by some line. */
  any?: readonly Pattern[]
  /** No line matches any of them. */
  none?: readonly Pattern[]
}

/** Steps are taken one after the other, each within what the one before has left. */
export type Region = RegionStep | readonly RegionStep[]

/** Of several places that match an anchor the last one counts. `from` includes it. */
export type RegionStep =
  | { last: number }
  | { first: number }
  | { from: Anchor }
  | { after: Anchor }
  | { before: Anchor }

/** One line, or several that directly follow each other. */
export type Anchor = Pattern | readonly Pattern[]

/** Matched against one line at a time. Flags other than `i` and `u` are not for here. */
export type Pattern = RegExp

/** `end`: it can be seen right behind the text of the last line. */
export type CursorPlace = 'shown' | 'hidden' | 'end'

/** Cut out of all lines, also the empty ones. Frames are taken off. */
export type AskCut = {
  /** It begins under the last line that matches; of several patterns the first that any line matches. */
  below?: readonly Pattern[]
  /** The same, with that line. */
  from?: readonly Pattern[]
  /** The beginning is looked for above the last line that matches this. */
  mark?: Pattern
  /** It ends before the first line that matches this, its own first line aside. */
  until?: Pattern
  /** Whatever is right of the end of the last line that matches this is left out: a sidebar. */
  within?: Pattern
  /** No more than so many lines, the last ones. */
  last?: number
  /** Lines that are left out. */
  drop?: readonly Pattern[]
  /** The last line is what is asked: it comes first, then an empty one, then what stands above it. */
  isLastFirst?: boolean
}

export function rulesInOrder(rules: readonly ScreenRule[]): ScreenRule[] {
  return rules.toSorted((one, other) => other.priority - one.priority)
}
