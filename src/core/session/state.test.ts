import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AgentEvent, type SessionKey, sessionKey } from './event.ts'
import { dismissedOf, isReady, queueOf } from './queue.ts'
import {
  apply,
  commit,
  type Entry,
  emptyState,
  type LogEntry,
  replay,
  type State,
  stateOf,
} from './state.ts'

const SESSIONS = ['a', 'b', 'c', 'd']
const keyOf = (id: string): SessionKey => sessionKey('h', id)

function event(session: string, given: Partial<AgentEvent>): AgentEvent {
  return { v: 1, harness: 'h', session, source: 'hook', kind: 'stuck', at: 1, ...given }
}

/** Logs entries one admission-clock tick apart. */
function logOf(entries: Entry[], startAt = 1_000): LogEntry[] {
  return entries.map((entry, index) => ({ seq: index + 1, admittedAt: startAt + index, entry }))
}

const received = (session: string, given: Partial<AgentEvent>, recovered = false): Entry => ({
  type: 'event.received',
  event: event(session, given),
  recovered,
})
const stopped = (session: string, at: number, recovered = false): Entry =>
  received(session, { kind: 'stuck', reason: 'stopped', at }, recovered)

const ids = (state: State, now: number): string[] =>
  queueOf(state.sessions.values(), now).map((session) => session.id)

const readyIds = (state: State, now: number): string[] =>
  queueOf(state.sessions.values(), now).flatMap((one) => (isReady(one, now) ? [one.id] : []))

describe('the queue', () => {
  test('keeps the order in which sessions got stuck, even if the younger one arrives first', () => {
    const entries = [stopped('c', 9_500), stopped('a', 9_300), stopped('b', 9_400)]
    const state = replay(emptyState(), logOf(entries, 9_900))
    expect(ids(state, 20_000)).toEqual(['a', 'b', 'c'])
  })

  test('keeps the order of admission if a clock is far off', () => {
    const entries = [stopped('b', 9_000), stopped('a', 3), stopped('c', 5)]
    const state = replay(emptyState(), logOf(entries, 9_900))
    expect(ids(state, 20_000)).toEqual(['a', 'c', 'b'])
    const apart = entries.map((entry, i) => ({ seq: i + 1, admittedAt: 10_000 * (i + 1), entry }))
    expect(ids(replay(emptyState(), apart), 50_000)).toEqual(['b', 'a', 'c'])
  })

  test('orders what was recovered from files by when it got stuck', () => {
    const log = logOf([stopped('b', 1_000), stopped('a', 400, true), stopped('c', 500, true)])
    expect(ids(replay(emptyState(), log), 2_000)).toEqual(['a', 'c', 'b'])
  })

  test('a recovered item from the future does not go behind later ones', () => {
    const log = logOf([stopped('a', 9e15, true), stopped('b', 1_001)])
    expect(ids(replay(emptyState(), log), 2_000)).toEqual(['a', 'b'])
  })

  test('a skip moves to the tail and cools down; nothing ready presents as empty', () => {
    const skip: Entry = { type: 'item.skipped', session: keyOf('a'), cooldownMs: 60_000 }
    const state = replay(emptyState(), logOf([stopped('a', 1), stopped('b', 2), skip]))
    const queue = queueOf(state.sessions.values(), 2_000)
    expect(queue.map((s) => s.id)).toEqual(['b', 'a'])
    expect(queue.map((s) => isReady(s, 2_000))).toEqual([true, false])
    const answered = replay(state, [
      { seq: 9, admittedAt: 3_000, entry: received('b', { kind: 'unstuck', at: 3_000 }) },
    ])
    expect(ids(answered, 3_000)).toEqual(['a'])
    expect(readyIds(answered, 3_000)).toEqual([])
    expect(readyIds(answered, 61_002)).toEqual(['a'])
  })

  test('a skip can be undone', () => {
    const skip: Entry = { type: 'item.skipped', session: keyOf('a'), cooldownMs: 60_000 }
    const restore: Entry = { type: 'item.restored', session: keyOf('a') }
    const log = logOf([stopped('a', 1), stopped('b', 2), skip, skip, restore])
    expect(readyIds(replay(emptyState(), log), 2_000)).toEqual(['a', 'b'])
  })

  test('a new ask re-arms a skipped item, but the same ask does not', () => {
    const skip: Entry = { type: 'item.skipped', session: keyOf('a'), cooldownMs: 60_000 }
    const again = logOf([stopped('a', 1), skip, stopped('a', 5)])
    expect(readyIds(replay(emptyState(), again), 2_000)).toEqual([])
    const asks = received('a', { kind: 'stuck', reason: 'permission', at: 6, ask: { text: 'rm' } })
    const rearmed = logOf([stopped('a', 1), skip, asks])
    expect(readyIds(replay(emptyState(), rearmed), 2_000)).toEqual(['a'])
  })

  describe('a dismissed item', () => {
    const dismiss: Entry = { type: 'item.dismissed', session: keyOf('a') }
    const recall: Entry = { type: 'item.recalled', session: keyOf('a') }
    const works = received('a', { kind: 'unstuck', at: 6 })

    test('is out of the queue, the same ask again does not bring it back, and undoing does', () => {
      const log = logOf([stopped('a', 1), stopped('b', 2), dismiss, stopped('a', 5)])
      const state = replay(emptyState(), log)
      expect(ids(state, 2_000)).toEqual(['b'])
      expect(dismissedOf(state.sessions.values()).map(({ id }) => id)).toEqual(['a'])
      replay(state, [{ seq: 9, admittedAt: 3_000, entry: recall }])
      expect(ids(state, 4_000)).toEqual(['a', 'b'])
    })

    test('comes back with a new ask, and when it gets stuck again', () => {
      const asks = received('a', {
        kind: 'stuck',
        reason: 'permission',
        at: 6,
        ask: { text: 'rm' },
      })
      const asked = replay(emptyState(), logOf([stopped('a', 1), dismiss, asks]))
      expect(readyIds(asked, 2_000)).toEqual(['a'])
      const again = replay(emptyState(), logOf([stopped('a', 1), dismiss, works, stopped('a', 7)]))
      expect(readyIds(again, 2_000)).toEqual(['a'])
    })

    test('that came back with a new ask waits anew, until it does so again', () => {
      const asks = (at: number, text: string) =>
        received('a', { kind: 'stuck', reason: 'permission', at, ask: { text } })
      const wokenBy = (...entries: Entry[]) =>
        replay(emptyState(), logOf([stopped('a', 1), ...entries])).sessions.get(keyOf('a'))?.item
          ?.woken?.by
      expect(wokenBy(asks(6, 'rm'))).toBeUndefined()
      expect(wokenBy(dismiss, asks(6, 'rm'))).toBe(3)
      expect(wokenBy(dismiss, asks(6, 'rm'), asks(7, 'ls'))).toBe(3)
      expect(wokenBy(dismiss, asks(6, 'rm'), dismiss, asks(7, 'ls'))).toBe(5)
    })

    test('counts as dismissed, whatever became of it', () => {
      const ends = received('a', { kind: 'ended', at: 6 })
      for (const last of [works, ends]) {
        const state = replay(emptyState(), logOf([stopped('a', 1), dismiss]))
        const { transitions } = apply(state, { seq: 9, admittedAt: 3_000, entry: last })
        expect(transitions[0]?.closed).toMatchObject({ outcome: 'dismissed' })
      }
    })

    test('that nobody is waiting for is left alone', () => {
      const state = replay(emptyState(), logOf([works, dismiss, recall]))
      expect(ids(state, 2_000)).toEqual([])
    })
  })

  test('an item that cannot be looked at is hidden and keeps its place', () => {
    const look = (state: 'alive' | 'unobservable', at: number): Entry => ({
      type: 'process.observed',
      session: keyOf('a'),
      process: { at, state, detail: '' },
    })
    const state = replay(
      emptyState(),
      logOf([stopped('a', 1), stopped('b', 2), look('unobservable', 3)]),
    )
    expect(ids(state, 2_000)).toEqual(['b'])
    replay(state, [{ seq: 10, admittedAt: 5_000, entry: look('alive', 4) }])
    expect(ids(state, 6_000)).toEqual(['a', 'b'])
  })

  test('a headless session is never queued', () => {
    const entry = received('a', { kind: 'stuck', reason: 'stopped', at: 1, headless: true })
    expect(ids(replay(emptyState(), logOf([entry])), 2_000)).toEqual([])
  })
})

describe('panes', () => {
  const pane = { socket: '/tmp/tmux-1/default', id: '%1' }

  test('a new session in a pane retires the old one, in whatever order their events arrive', () => {
    const old = received('a', { kind: 'stuck', reason: 'stopped', at: 1, pane })
    const successor = received('b', { kind: 'started', at: 2, pane })
    for (const entries of [
      [old, successor],
      [successor, old],
    ]) {
      const state = replay(emptyState(), logOf(entries))
      expect(state.sessions.get(keyOf('a'))?.verdict.state).toBe('ended')
      expect(ids(state, 2_000)).toEqual([])
    }
  })

  test('an old session that ends late takes nothing from its successor', () => {
    const entries = [
      received('a', { kind: 'started', at: 1, pane }),
      received('b', { kind: 'stuck', reason: 'stopped', at: 2, pane }),
      received('a', { kind: 'ended', at: 3, pane }),
    ]
    expect(ids(replay(emptyState(), logOf(entries)), 2_000)).toEqual(['b'])
  })

  test('a new session retires every other one that claims the pane', () => {
    const alive = { at: 3, state: 'alive', detail: 'looked' } as const
    const state = replay(
      emptyState(),
      logOf([
        received('a', { kind: 'started', at: 1, pane }),
        {
          type: 'process.observed',
          session: keyOf('a'),
          process: { ...alive, at: 2, state: 'gone' },
        },
        received('b', { kind: 'started', at: 2, pane }),
        { type: 'process.observed', session: keyOf('a'), process: alive },
        received('c', { kind: 'started', at: 4, pane }),
      ]),
    )
    const inPane = [...state.sessions.values()].filter((session) => session.pane)
    expect(inPane.map(({ id }) => id)).toEqual(['c'])
  })

  test('a retired session that shows life again without a pane does not get its old one back', () => {
    const entries = [
      received('a', { kind: 'started', at: 1, pane }),
      received('b', { kind: 'stuck', reason: 'stopped', at: 2, pane }),
      received('a', { kind: 'stuck', reason: 'stopped', at: 3 }),
    ]
    const state = replay(emptyState(), logOf(entries))
    expect(ids(state, 2_000)).toEqual(['b', 'a'])
    expect(state.sessions.get(keyOf('a'))?.pane).toBeUndefined()
  })

  test('a headless session in the pane of a stuck one takes nothing from it', () => {
    const entries = [
      received('a', { kind: 'stuck', reason: 'stopped', at: 1, pane }),
      received('b', { kind: 'started', at: 2, pane, headless: true }),
    ]
    const state = replay(emptyState(), logOf(entries))
    expect(ids(state, 2_000)).toEqual(['a'])
    expect(state.sessions.get(keyOf('b'))?.pane).toBeUndefined()
  })

  test('the same pane id on another server is another pane', () => {
    const elsewhere = { socket: '/tmp/tmux-1/other', id: '%1' }
    const entries = [
      received('a', { kind: 'stuck', reason: 'stopped', at: 1, pane }),
      received('b', { kind: 'stuck', reason: 'stopped', at: 2, pane: elsewhere }),
    ]
    expect(ids(replay(emptyState(), logOf(entries)), 2_000)).toEqual(['a', 'b'])
  })
})

const arbitraryEvent: fc.Arbitrary<AgentEvent> = fc
  .record({
    session: fc.constantFrom(...SESSIONS),
    kind: fc.constantFrom('started', 'stuck', 'unstuck', 'ended', 'seen' as const),
    source: fc.constantFrom('hook', 'status', 'transcript', 'screen', 'process', 'api' as const),
    reason: fc.constantFrom('permission', 'stopped' as const),
    block: fc.constantFrom('x', 'y', undefined),
    subagent: fc.constantFrom('sub', undefined, undefined),
    pane: fc.constantFrom(undefined, { socket: '/s', id: '%1' }, { socket: '/s', id: '%2' }),
    at: fc.integer({ min: 1, max: 500 }),
  })
  .map(({ session, block, subagent, pane, ...given }) =>
    event(session, {
      ...given,
      ask: { text: given.source },
      ...(block && { block }),
      ...(subagent && { subagent }),
      ...(pane && { pane }),
    }),
  )

const arbitraryEntry: fc.Arbitrary<Entry> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('event.received' as const),
      event: arbitraryEvent,
      recovered: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('item.skipped' as const),
      session: fc.constantFrom(...SESSIONS.map(keyOf)),
      cooldownMs: fc.integer({ min: 0, max: 50 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom(
        ...(['item.restored', 'item.dismissed', 'item.recalled', 'session.forgotten'] as const),
      ),
      session: fc.constantFrom(...SESSIONS.map(keyOf)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('process.observed' as const),
      session: fc.constantFrom(...SESSIONS.map(keyOf)),
      process: fc.record({
        at: fc.integer({ min: 1, max: 500 }),
        state: fc.constantFrom('alive', 'suspended', 'gone', 'unobservable' as const),
        detail: fc.constant('looked'),
      }),
    }),
  },
)

const arbitraryLog = fc.array(arbitraryEntry, { maxLength: 60 }).map((entries) => logOf(entries))

/** fast-check prints the seed and the smallest counterexample when a property fails. */
const runs = { numRuns: 500 }

describe('over random logs', () => {
  test('the queue and what is dismissed are exactly the attended stuck sessions, each once', () => {
    fc.assert(
      fc.property(arbitraryLog, (log) => {
        const state = replay(emptyState(), log)
        const stuck = [...state.sessions.values()].filter(
          (s) => s.verdict.state === 'stuck' && !s.headless,
        )
        const dismissed = dismissedOf(state.sessions.values()).map(({ id }) => id)
        expect([...ids(state, 5_000), ...dismissed].toSorted()).toEqual(
          stuck.map((s) => s.id).toSorted(),
        )
      }),
      runs,
    )
  })

  test('ready items come first and in order, whatever the time', () => {
    fc.assert(
      fc.property(arbitraryLog, fc.integer({ min: 900, max: 1_200 }), (log, now) => {
        const queue = queueOf(replay(emptyState(), log).sessions.values(), now)
        const ready = queue.map((s) => isReady(s, now))
        expect(ready).toEqual(ready.toSorted((a, b) => Number(b) - Number(a)))
        const orders = queue.filter((s) => isReady(s, now)).map((s) => s.item.order)
        expect(orders).toEqual(orders.toSorted((a, b) => a - b))
      }),
      runs,
    )
  })

  test('live sessions admitted over a second apart keep that order, whatever their clocks say', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(SESSIONS),
        fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
        (order, clocks) => {
          const log = order.map((id, i) => ({
            seq: i + 1,
            admittedAt: 1_000_000 + i * 1_001,
            entry: stopped(id, (clocks[i] ?? 0) + 1),
          }))
          expect(ids(replay(emptyState(), log), 2_000_000)).toEqual(order)
        },
      ),
      runs,
    )
  })

  test('replaying the log, whole or from any snapshot, gives the same state', () => {
    fc.assert(
      fc.property(arbitraryLog, fc.nat(60), (log, cut) => {
        const whole = replay(emptyState(), log)
        const snapshot = replay(emptyState(), log.slice(0, cut))
        const stored = JSON.parse(JSON.stringify([...snapshot.sessions.values()]))
        const resumed = replay(stateOf(stored), log.slice(cut))
        expect(JSON.parse(JSON.stringify(sorted(resumed)))).toEqual(
          JSON.parse(JSON.stringify(sorted(whole))),
        )
      }),
      runs,
    )
  })

  test('an entry that comes twice in a row changes nothing the second time', () => {
    fc.assert(
      fc.property(arbitraryLog, arbitraryEvent, (log, given) => {
        const state = replay(emptyState(), log)
        const entry: Entry = { type: 'event.received', event: given, recovered: false }
        commit(state, apply(state, { seq: 100, admittedAt: 3_000, entry }))
        const once = JSON.stringify(sorted(state))
        commit(state, apply(state, { seq: 101, admittedAt: 3_001, entry }))
        expect(JSON.stringify(sorted(state))).toEqual(once)
      }),
      runs,
    )
  })

  test('the verdicts do not depend on the order in which events arrive', () => {
    const distinct = fc
      .uniqueArray(arbitraryEvent, { maxLength: 14, selector: (e) => e.at })
      .map((events) => events.map(({ pane: _, ...paneless }): AgentEvent => paneless))
    fc.assert(
      fc.property(
        distinct.chain((events) =>
          fc.tuple(
            fc.constant(events),
            fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 }),
          ),
        ),
        ([events, shuffled]) => {
          const log = (list: AgentEvent[]) =>
            logOf(list.map((e) => ({ type: 'event.received', event: e, recovered: false })))
          const verdicts = (list: AgentEvent[]) =>
            sorted(replay(emptyState(), log(list))).map((s) => [s.id, s.verdict])
          expect(verdicts(shuffled)).toEqual(verdicts(events))
        },
      ),
      runs,
    )
  })
})

function sorted(state: State) {
  return [...state.sessions.values()].toSorted((a, b) => a.key.localeCompare(b.key))
}

describe('where a session is', () => {
  const pane = { socket: '/t', id: '%1' }
  const paneOf = (...given: Partial<AgentEvent>[]) =>
    replay(emptyState(), logOf(given.map((one) => received('a', one)))).sessions.get(keyOf('a'))
      ?.pane

  test('a pane goes with the process that was in it', () => {
    expect(paneOf({ at: 1, pane, pid: 7 }, { at: 2, pid: 8 })).toBeUndefined()
    expect(paneOf({ at: 1, pane, pid: 7 }, { at: 2, pid: 8, pane })).toEqual(pane)
  })

  test('and stays if nothing else is known about the process', () => {
    expect(paneOf({ at: 1, pane, pid: 7 }, { at: 2, pid: 7 }, { at: 3 })).toEqual(pane)
    expect(paneOf({ at: 5, pane, pid: 7 }, { at: 2, pid: 8 })).toEqual(pane)
  })

  test('and stays while the session continues or ends without a human', () => {
    expect(paneOf({ at: 1, pane, pid: 7 }, { at: 2, pid: 8, headless: true })).toEqual(pane)
    expect(paneOf({ at: 1, pane, pid: 7 }, { at: 2, pid: 8, kind: 'ended' })).toEqual(pane)
  })

  test('whoever continues it after its process was gone is not that process', () => {
    const alive = received('a', { kind: 'started', at: 10, pid: 7, pidStart: 70 })
    const gone = received('a', { source: 'process', kind: 'ended', at: 20 })
    const pidAfter = (last: Partial<AgentEvent>) =>
      replay(emptyState(), logOf([alive, gone, received('a', last)])).sessions.get(keyOf('a'))?.pid
    expect(pidAfter({ kind: 'started', at: 30 })).toBeUndefined()
    expect(pidAfter({ kind: 'started', at: 30, pid: 8 })).toBe(8)
    expect(pidAfter({ kind: 'stuck', reason: 'stopped', at: 30 })).toBe(7)
    expect(pidAfter({ kind: 'started', at: 15 })).toBe(7)
  })
})
