/** What is positively seen of the place to type. */
export type ComposerSight =
  /** An idle composer with nothing in it. */
  | { kind: 'empty' }
  /** An idle composer with a draft, its lines as they stand: long ones may be split. */
  | { kind: 'text'; text: string }
  /** A dialog, a picker, work, anything else: nothing may be typed. */
  | { kind: 'none'; why: string }
