import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareLooks } from '../screen/likeness.ts'
import { type Screen, screenOf } from '../screen/screen.ts'
import type { Shows } from '../screen/screen-rule.ts'
import { COMMON_SIGNALS } from './common-signals.ts'
import type { TriageFacts } from './diagnosis.ts'
import { DEFAULT_PACE } from './interval.ts'
import { monitorStep } from './monitor.ts'
import { afterOccasion, newWatched, type Occasion, type Watched } from './watched.ts'

const LONGEST_MS = Math.max(...Object.values(DEFAULT_PACE.intervalsMs).map(([, most]) => most))

const HUNG: TriageFacts = {
  sessionThere: true,
  processAlive: true,
  processState: 'S',
  children: [],
  cpuMsSinceLastLook: 0,
  elapsedMs: 15_000,
  shellInForeground: false,
}

/** One thing that may happen to a watched pane: a look when it is due, or an earlier occasion. */
type Happening =
  | { kind: 'look'; text: string; shows: Shows | undefined; facts: TriageFacts | undefined }
  | { kind: 'blind' }
  | { kind: 'clock set back'; ms: number }
  | { kind: 'occasion'; occasion: Occasion; afterMs: number; isJustBeforeDue: boolean }

const text = fc.constantFrom(
  'a',
  'b',
  '⠋ thinking (1s)',
  '⠹ thinking (2s)',
  '● Bash(npm test)',
  Array.from({ length: 30 }, (_, n) => `x${n}`).join('\n'),
  Array.from({ length: 30 }, (_, n) => `y${n}`).join('\n'),
)
const shows = fc.constantFrom<Shows | undefined>(
  undefined,
  undefined,
  'working',
  'dialog',
  'idle',
  'failed',
  'finished',
)
const facts = fc.record({
  sessionThere: fc.constantFrom(true, true, false, undefined),
  processAlive: fc.constantFrom(true, true, true, false, undefined),
  processState: fc.constantFrom('S', 'R', 'D', 'T', 'Z', undefined),
  children: fc.constantFrom([], undefined, [{ pid: 2, name: 'cc', cpuMs: 900 }]),
  cpuMsSinceLastLook: fc.constantFrom(0, 10_000, undefined),
  elapsedMs: fc.constant(15_000),
  shellInForeground: fc.boolean(),
})
const occasion = fc.constantFrom<Occasion>(
  { kind: 'hook' },
  { kind: 'output' },
  { kind: 'title', title: 'x' },
  { kind: 'dispatched' },
)
const look = fc.record({
  kind: fc.constant('look' as const),
  text,
  shows,
  facts: fc.option(facts, { nil: undefined }),
})
const happening: fc.Arbitrary<Happening> = fc.oneof(
  look,
  look,
  fc.constant<Happening>({ kind: 'blind' }),
  fc.record({ kind: fc.constant('clock set back' as const), ms: fc.nat(1e7) }),
  fc.record({
    kind: fc.constant('occasion' as const),
    occasion,
    afterMs: fc.oneof(fc.nat(1_000), fc.nat(200_000)),
    isJustBeforeDue: fc.boolean(),
  }),
)
const STANDS: Happening = { kind: 'look', text: 'a', shows: undefined, facts: HUNG }
const stretch = fc.oneof(
  fc.array(happening, { maxLength: 10 }),
  fc.nat(14).map((looks) => Array<Happening>(looks).fill(STANDS)),
)

const history = fc.record({
  attention: fc.constantFrom('fresh' as const, 'steady' as const),
  isHarness: fc.boolean(),
  random: fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1 }),
  happenings: fc.array(stretch, { maxLength: 8 }).map((some) => some.flat()),
})

type Seen = {
  at: number
  before: Watched
  after: Watched
  screen: Screen | undefined
  stuck: boolean
  isSetBack: boolean
  isPrompted: boolean
}

function run({
  attention,
  isHarness,
  random,
  happenings,
}: typeof history extends fc.Arbitrary<infer T> ? T : never): Seen[] {
  let watched = newWatched({ attention, isHarness }, 1e9)
  let set = 0
  let isPrompted = false
  const seen: Seen[] = []
  for (const [n, one] of happenings.entries()) {
    const draw = random[n % random.length] ?? 0
    if (one.kind === 'clock set back') {
      set = one.ms
      continue
    }
    if (one.kind === 'occasion') {
      const { lookedAt = 1e9, nextLookAt, dueAt } = watched
      const at = one.isJustBeforeDue ? dueAt - (one.afterMs % 1_000) : lookedAt + one.afterMs
      const now = Math.max(lookedAt, Math.min(at, nextLookAt))
      watched = afterOccasion(watched, one.occasion, { now, pace: DEFAULT_PACE, random: draw })
      isPrompted ||= one.occasion.kind === 'dispatched'
      continue
    }
    const at = watched.nextLookAt
    const screen = one.kind === 'look' ? screenOf(one.text) : undefined
    const sight =
      one.kind === 'look' && one.shows ? { rule: one.shows, shows: one.shows } : undefined
    const step = monitorStep({
      watched,
      look: screen && { screen, sight },
      facts: one.kind === 'look' ? one.facts : undefined,
      now: at - set,
      random: draw,
      pace: DEFAULT_PACE,
      signalRules: COMMON_SIGNALS,
    })
    const isSetBack = set > 0
    set = 0
    const stuck = step.report?.detail === 'stalled: hung'
    seen.push({
      at: step.watched.lookedAt ?? at,
      before: watched,
      after: step.watched,
      screen,
      stuck,
      isSetBack,
      isPrompted,
    })
    isPrompted = false
    watched = step.watched
  }
  return seen
}

test('two looks are never closer than the minimum distance, nor further apart than the longest interval', () => {
  fc.assert(
    fc.property(history, (events) => {
      for (const { after } of run(events)) {
        const pause = after.nextLookAt - (after.lookedAt ?? 0)
        expect(pause).toBeGreaterThanOrEqual(DEFAULT_PACE.leastMs)
        expect(pause).toBeLessThanOrEqual(LONGEST_MS)
      }
    }),
  )
})

test('an occasion only brings a look forward, except for a prompt, which has its own interval', () => {
  fc.assert(
    fc.property(history, (events) => {
      const looks = run(events)
      for (const [n, { before, at, isSetBack, isPrompted }] of looks.entries()) {
        const last = looks[n - 1]
        if (!last) continue
        if (!isSetBack) expect(at - last.at).toBeGreaterThanOrEqual(DEFAULT_PACE.leastMs)
        if (!isPrompted) expect(before.nextLookAt).toBeLessThanOrEqual(last.after.nextLookAt)
      }
    }),
  )
})

test('time never goes back, whatever the clock does', () => {
  fc.assert(
    fc.property(history, (events) => {
      for (const { before, after } of run(events)) {
        expect(after.lookedAt).toBeGreaterThanOrEqual(before.lookedAt ?? 0)
        expect(after.nextLookAt).toBeGreaterThan(before.lookedAt ?? 0)
      }
    }),
  )
})

test('a stall needs three looks in which nothing moved, one interval apart', () => {
  let stalls = 0
  fc.assert(
    fc.property(history, (events) => {
      const looks = run(events).filter(({ screen }) => screen)
      for (const [n, { stuck, screen, at }] of looks.entries()) {
        if (!stuck || !screen) continue
        stalls++
        const since = looks.slice(0, n).findLastIndex((look) => !isSame(look.screen, screen)) + 1
        expect(n - since).toBeGreaterThanOrEqual(3)
        expect(at - (looks[since]?.at ?? at)).toBeGreaterThanOrEqual(3 * 10_000)
      }
    }),
    { numRuns: 400 },
  )
  expect(stalls).toBeGreaterThan(10)
})

test('the same report is not made twice in a row', () => {
  fc.assert(
    fc.property(history, (events) => {
      for (const { before, after, stuck } of run(events)) {
        if (stuck) expect(before.reported).not.toBe(after.reported)
      }
    }),
  )
})

function isSame(one: Screen | undefined, other: Screen): boolean {
  return one !== undefined && compareLooks(one, other) === 'identical'
}
