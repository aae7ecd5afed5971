import { describe, expect, test } from 'vitest'
import { WAIT_LABELS } from '../session/wait-label.ts'
import type { Announced, NoticeRules, Situation, Wait } from './notice-plan.ts'
import { planNotices } from './notice-plan.ts'

const NOW = 1_000_000
const rules: NoticeRules = {
  channels: ['bell', 'command'],
  afterMs: 15_000,
  togetherMs: 2_000,
  again: undefined,
  labels: WAIT_LABELS,
  quietHours: undefined,
}
const wait = (id: string, waitedMs: number, more: Partial<Wait> = {}): Wait => ({
  ...{ id, session: id, harness: 'h', project: 'p', label: 'asks', readyAt: 0 },
  since: NOW - waitedMs,
  ...more,
})
const plan = (waits: Wait[], more: Partial<Situation> = {}) =>
  planNotices({
    ...{ rules, now: NOW, wall: 5_000_000, minute: 720, waits, mutes: [] },
    ...{ announced: new Map(), isLookedAt: undefined, pausedUntil: new Map() },
    ...more,
  })
const known = (id: string, more: Partial<Announced> = {}) =>
  new Map([[id, { id, level: 'first', at: NOW - 60_000, left: [], ...more } as Announced]])

describe('a wait', () => {
  test('is announced on every channel once its time has come', () => {
    expect(plan([wait('a', 17_000)])).toMatchObject({
      sends: [
        { channel: 'bell', level: 'first', ids: ['a'] },
        { channel: 'command', level: 'first', ids: ['a'] },
      ],
      announced: [{ id: 'a', level: 'first', at: NOW, left: [] }],
      wakeAt: undefined,
    })
  })

  test('is not announced before, and we look again exactly then', () => {
    const { sends, fates, wakeAt } = plan([wait('a', 14_000)])
    expect(sends).toEqual([])
    expect(fates.get('a')).toMatchObject({ kind: 'held', by: 'time' })
    expect(wakeAt).toBe(NOW + 1_000)
  })

  test('waits for others that become due at the same time, and is one notice with them', () => {
    expect(plan([wait('a', 16_000), wait('b', 14_500)])).toMatchObject({
      sends: [],
      wakeAt: NOW + 500,
    })
    const { sends } = plan([wait('a', 17_000), wait('b', 15_500)])
    expect(sends.map(({ ids }) => ids)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
  })

  test('that was announced is not announced again, and nothing wakes us', () => {
    expect(plan([wait('a', 90_000)], { announced: known('a') })).toMatchObject({
      sends: [],
      wakeAt: undefined,
    })
  })

  test('of a label that the operator does not want is ignored', () => {
    const only = { ...rules, labels: ['permission'] as const }
    expect(plan([wait('a', 90_000)], { rules: only })).toMatchObject({
      sends: [],
      wakeAt: undefined,
    })
  })

  test('that cools down is held until it is ready', () => {
    const skipped = wait('a', 90_000, { readyAt: NOW + 7_000 })
    expect(plan([skipped])).toMatchObject({ sends: [], wakeAt: NOW + 7_000 })
  })

  test('that the operator looks at is held, and looked for again soon', () => {
    expect(plan([wait('a', 90_000)], { isLookedAt: ({ id }) => id === 'a' })).toMatchObject({
      sends: [],
      wakeAt: NOW + 3_000,
    })
  })

  test('that nobody looks at does not wait for one that is looked at', () => {
    const { sends } = plan([wait('a', 90_000), wait('b', 17_000)], {
      isLookedAt: ({ id }) => id === 'a',
    })
    expect(sends[0]?.ids).toEqual(['b'])
  })

  test('in quiet hours is held until they end, over midnight too', () => {
    const quiet = { ...rules, quietHours: { from: 22 * 60, to: 7 * 60 } }
    const night = plan([wait('a', 90_000)], { rules: quiet, minute: 23 * 60 })
    expect(night).toMatchObject({ sends: [], wakeAt: NOW + 8 * 3_600_000 })
    expect(plan([wait('a', 90_000)], { rules: quiet, minute: 7 * 60 }).sends).toHaveLength(2)
  })

  test.each([
    { kind: 'session', name: 'a' },
    { kind: 'agent', name: 'ranch/lead' },
    { kind: 'project', name: 'p' },
    { kind: 'harness', name: 'h' },
    { kind: 'all', name: 'all' },
  ] as const)('is held while its $kind is muted', ({ kind, name }) => {
    const waits = [wait('a', 90_000, { agent: 'ranch/lead' })]
    const mutes = [{ kind, name, until: 5_000_000 + 4_000 }]
    expect(plan(waits, { mutes })).toMatchObject({ sends: [], wakeAt: NOW + 4_000 })
    expect(plan(waits, { mutes: [{ kind, name, until: null }] })).toMatchObject({
      sends: [],
      wakeAt: undefined,
    })
    expect(plan(waits, { mutes, wall: 5_000_000 + 4_000 }).sends).toHaveLength(2)
    expect(
      plan(waits, { mutes: [{ kind: 'project', name: 'q', until: null }] }).sends,
    ).toHaveLength(2)
  })
})

describe('a channel', () => {
  test('that has failed gets its notice later, and the others do not wait for it', () => {
    const pausedUntil = new Map([['command', NOW + 5_000]] as const)
    expect(plan([wait('a', 17_000)], { pausedUntil })).toMatchObject({
      sends: [{ channel: 'bell', ids: ['a'] }],
      announced: [{ id: 'a', left: ['command'] }],
    })
    const left = known('a', { left: ['command'] })
    const waits = [wait('a', 90_000), wait('b', 17_000)]
    expect(plan(waits.slice(0, 1), { announced: left, pausedUntil })).toMatchObject({
      sends: [],
      wakeAt: NOW + 5_000,
    })
    const { sends, announced } = plan(waits, { announced: left })
    expect(sends).toEqual([
      { channel: 'command', level: 'first', ids: ['a', 'b'] },
      { channel: 'bell', level: 'first', ids: ['b'] },
    ])
    expect(announced[0]).toEqual({ id: 'a', level: 'first', at: NOW - 60_000, left: [] })
  })

  test('that is busy wakes nobody: it reports when it is done', () => {
    const busy = new Map([
      ['bell', Number.POSITIVE_INFINITY],
      ['command', Number.POSITIVE_INFINITY],
    ] as const)
    expect(plan([wait('a', 17_000)], { pausedUntil: busy })).toMatchObject({
      sends: [],
      announced: [],
      wakeAt: undefined,
    })
  })

  test('that left the settings is owed nothing', () => {
    const left = known('a', { left: ['desktop'] })
    expect(plan([wait('a', 90_000)], { announced: left }).sends).toEqual([])
  })
})

describe('the second notice', () => {
  const louder: NoticeRules = { ...rules, again: { afterMs: 60_000, channels: ['desktop'] } }

  test('follows the first after its time, once, on its own channels and those that have not had the first', () => {
    const early = known('a', { at: NOW - 59_000 })
    expect(plan([wait('a', 90_000)], { rules: louder, announced: early })).toMatchObject({
      sends: [],
      wakeAt: NOW + 1_000,
    })
    const late = known('a', { at: NOW - 62_000, left: ['bell'] })
    expect(plan([wait('a', 90_000)], { rules: louder, announced: late })).toMatchObject({
      sends: [
        { channel: 'desktop', level: 'again', ids: ['a'] },
        { channel: 'bell', level: 'again', ids: ['a'] },
      ],
      announced: [{ id: 'a', level: 'again', at: NOW, left: [] }],
    })
    const both = known('a', { level: 'again' })
    expect(plan([wait('a', 900_000)], { rules: louder, announced: both })).toMatchObject({
      sends: [],
      wakeAt: undefined,
    })
  })

  test('comes in time although the first still has a channel to reach', () => {
    const left = known('a', { at: NOW - 50_000, left: ['bell'] })
    const pausedUntil = new Map([['bell', NOW + 99_000]] as const)
    const { wakeAt } = plan([wait('a', 90_000)], { rules: louder, announced: left, pausedUntil })
    expect(wakeAt).toBe(NOW + 10_000)
  })
})
