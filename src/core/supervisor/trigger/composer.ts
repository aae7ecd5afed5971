/** What is positively seen of the place to type. */
export type ComposerSight =
  /** An idle composer with nothing in it. */
  | { kind: 'empty' }
  /** An idle composer with a draft, line by line as drawn: long lines may be split. */
  | { kind: 'text'; text: string }
  /**
   * A dialog, a picker, work, anything else: nothing may be typed. `whenStill` is what it means if nothing moves
   * for that long.
   */
  | { kind: 'none'; why: string; whenStill?: { afterMs: number; sight: ComposerSight } }
