import * as v from 'valibot'
import { messageOf } from '../core/errors.ts'
import type { ScreenRule } from '../core/screen/screen-rule.ts'
import { SIGNALS } from '../core/screen/signals.ts'
import { WAIT_LABELS } from '../core/session/wait-label.ts'
import { truncate } from '../core/text.ts'

/** One of the operator's rules: one to try, or the name of one to disable. */
export type OwnScreenRule = { name: string; disabled: true } | (ScreenRule & { disabled?: false })

/** The usable part of one rule, or what is wrong with it and in which field. */
export function parseScreenRule(
  input: unknown,
): { rule: OwnScreenRule } | { name: string | undefined; mistakes: string[] } {
  const off = v.safeParse(DisabledRule, input)
  if (off.success) return { rule: off.output }
  const parsed = v.safeParse(Rule, input, { abortPipeEarly: true })
  if (parsed.success) {
    const { disabled: _, ...rule } = parsed.output
    return { rule: rule as ScreenRule }
  }
  const named = v.safeParse(v.looseObject({ name: Name }), input)
  return {
    name: named.success ? named.output.name : undefined,
    mistakes: parsed.issues.slice(0, MOST_MISTAKES).map(mistakeOf),
  }
}

export const MAX_OWN_RULES = 200
const MAX_PATTERN_CHARS = 1_000
const MOST_MISTAKES = 3

const Name = v.pipe(
  v.string(),
  v.minLength(1, 'is empty.'),
  v.maxLength(80, 'is longer than 80 characters.'),
)

const Pattern = v.pipe(
  v.string(),
  v.minLength(1, 'is empty.'),
  v.maxLength(MAX_PATTERN_CHARS, `is longer than ${MAX_PATTERN_CHARS} characters.`),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    try {
      return new RegExp(dataset.value, 'u')
    } catch (error) {
      addIssue({
        message: `is no regular expression: ${messageOf(error).replace(/^.*\/u: /s, '')}.`,
      })
      return NEVER
    }
  }),
)
const Patterns = v.pipe(
  v.array(Pattern),
  v.minLength(1, 'is empty: leave it out.'),
  v.maxLength(50, 'has more than 50 patterns.'),
)
const LINES = 'must be a whole number of lines, 1 to 400.'
const Lines = v.pipe(v.number(), v.integer(LINES), v.minValue(1, LINES), v.maxValue(400, LINES))

/** Chosen by the input's type, so that a mistake is reported where it is: a union only says that nothing fits. */
const oneOrList = <Schema extends v.GenericSchema>(one: Schema) =>
  v.lazy((input) =>
    Array.isArray(input) ? v.pipe(v.array(one), v.minLength(1), v.maxLength(5)) : one,
  )
const Anchor = oneOrList(Pattern)
const STEPS: Record<string, v.GenericSchema> = {
  last: v.strictObject({ last: Lines }),
  first: v.strictObject({ first: Lines }),
  from: v.strictObject({ from: Anchor }),
  after: v.strictObject({ after: Anchor }),
  before: v.strictObject({ before: Anchor }),
}
const NoStep = v.custom(
  () => false,
  `must be one of ${Object.keys(STEPS).join(', ')} with its value.`,
)
const SeveralSteps = v.custom(
  () => false,
  'has more than one key in one step: write a list, one step after the other.',
)
const RegionStep = v.lazy((input) => {
  const keys = input !== null && typeof input === 'object' ? Object.keys(input) : []
  const [key = ''] = keys
  if (keys.length > 1 && keys.every((one) => Object.hasOwn(STEPS, one))) return SeveralSteps
  return Object.hasOwn(STEPS, key) ? (STEPS[key] ?? NoStep) : NoStep
})
const Region = oneOrList(RegionStep)

const lineTest = {
  all: v.optional(Patterns),
  any: v.optional(Patterns),
  none: v.optional(Patterns),
}
const part = { region: v.optional(Region), ...lineTest, every: v.optional(Patterns) }
const Parts = v.pipe(v.array(v.strictObject(part)), v.maxLength(20))

const Ask = v.strictObject({
  below: v.optional(Patterns),
  from: v.optional(Patterns),
  mark: v.optional(Pattern),
  until: v.optional(Pattern),
  within: v.optional(Pattern),
  last: v.optional(Lines),
  drop: v.optional(Patterns),
  isLastFirst: v.optional(v.boolean()),
})

const Labels = v.pipe(
  v.array(v.strictObject({ label: v.picklist(WAIT_LABELS), ...lineTest })),
  v.maxLength(10),
)

const PRIORITY = 'must be a whole number, -1000 to 1000.'
const RuleFields = v.strictObject({
  name: Name,
  shows: v.picklist(['dialog', 'idle', 'failed', 'finished', 'working']),
  priority: v.pipe(
    v.number(),
    v.integer(PRIORITY),
    v.minValue(-1_000, PRIORITY),
    v.maxValue(1_000, PRIORITY),
  ),
  disabled: v.optional(v.literal(false)),
  ...part,
  also: v.optional(Parts),
  unless: v.optional(Parts),
  title: v.optional(v.strictObject(lineTest)),
  cursor: v.optional(v.picklist(['shown', 'hidden', 'end'])),
  ask: v.optional(Ask),
  labels: v.optional(Labels),
  signal: v.optional(v.picklist(SIGNALS)),
})
const Rule = v.pipe(
  RuleFields,
  v.check(
    ({ all, any, every, also, title }) =>
      [all, any, every, title].some(Boolean) || Boolean(also?.length),
    'says nothing of what is on the screen, so it would fit every one: give it "all", "any", "every", "also" or "title".',
  ),
)

/** The documentation describes exactly these fields. */
export const SCREEN_RULE_FIELDS = {
  rule: Object.keys(RuleFields.entries),
  ask: Object.keys(Ask.entries),
  step: Object.keys(STEPS),
}

const DisabledRule = v.object({ name: Name, disabled: v.literal(true) })

function mistakeOf(issue: v.BaseIssue<unknown>): string {
  const where = v.getDotPath(issue)
  return where === null ? sentenceOf(issue) : `${truncate(where, 60)} ${sentenceOf(issue)}`
}

function sentenceOf({ kind, type, expected, received, message }: v.BaseIssue<unknown>): string {
  if (kind !== 'schema' || type === 'custom') return message
  if (expected === 'never') return 'is no field of a rule.'
  if (received === 'undefined') return 'is missing.'
  const wanted = WANTED[expected ?? ''] ?? expected?.replace(/^\(|\)$/g, '').replaceAll(' | ', ', ')
  const many = type === 'picklist' ? 'one of ' : ''
  return `is ${truncate(received, 60)}, but must be ${many}${wanted}.`
}

const WANTED: Record<string, string> = {
  Array: 'a list',
  Object: 'an object',
  string: 'a text',
  number: 'a number',
}
