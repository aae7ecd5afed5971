import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freshDirectory } from '../../../test/support/store/database-path.ts'
import { runtimeIn } from '../../../test/support/supervisor/runtime-in.ts'
import { type Changes, triggerIn } from '../../../test/support/supervisor/trigger-in.ts'
import { newDispatch } from '../../core/supervisor/dispatch/dispatch.ts'
import { newRuntime } from '../../core/supervisor/runtime/runtime.ts'
import { IN_HAND, type Trigger, type TriggerState } from '../../core/supervisor/trigger/trigger.ts'
import { inTransaction, openDatabase } from '../database/database.ts'
import { appendAudit, listAudit } from './audit.ts'
import { findDispatch, listDispatches, saveDispatch } from './dispatches.ts'
import { deleteRuntime, findRuntimeOfSession, listRuntimes, saveRuntime } from './runtimes.ts'
import {
  findTriggerOfMark,
  insertTrigger,
  listTriggers,
  moveTrigger,
  readTrigger,
  recentTriggers,
} from './triggers.ts'

const place = freshDirectory()
let db: DatabaseSync
beforeEach(() => {
  db = openDatabase(place.path)
})
afterEach(() => db.close())

function inserted(
  id: string,
  state: TriggerState = 'queued',
  more: Changes<TriggerState> = {},
): Trigger {
  const facts = { id, mark: id.padEnd(10, '0'), threadId: 'th_1', createdAt: 100 }
  const made = triggerIn(state, facts, more)
  insertTrigger(db, made)
  return made
}

const claimed = (from: Trigger, claimedAt = 200) =>
  triggerIn('claimed', from, { write: { claimedAt } })

describe('a claim', () => {
  test('goes to one of two claimers, even from two connections', () => {
    const queued = inserted('a')
    using other = openDatabase(place.path)
    expect(moveTrigger(db, queued, claimed(queued))).toBe(true)
    expect(moveTrigger(other, queued, claimed(queued, 300))).toBe(false)
    expect(readTrigger(db, 'a')).toMatchObject({ state: 'claimed', write: { claimedAt: 200 } })
  })

  test('fails for a caller that read the trigger before somebody else moved it and back', () => {
    const queued = inserted('a')
    const first = claimed(queued)
    const back = triggerIn('queued', first, { isChannelClosed: true })
    expect(moveTrigger(db, queued, first)).toBe(true)
    expect(moveTrigger(db, first, back)).toBe(true)
    expect(moveTrigger(db, queued, first)).toBe(false)
    expect(moveTrigger(db, readTrigger(db, 'a') ?? queued, claimed(back))).toBe(true)
  })

  test.each(IN_HAND)('fails while another trigger of the runtime is %s', (state) => {
    const first = inserted('a', state)
    const second = inserted('b')
    const elsewhere = inserted('c', 'queued', { runtimeId: 'rt_2' })
    expect(moveTrigger(db, second, claimed(second))).toBe(false)
    expect(moveTrigger(db, elsewhere, claimed(elsewhere))).toBe(true)
    expect(moveTrigger(db, first, triggerIn('delivered', first))).toBe(true)
    expect(moveTrigger(db, second, claimed(second))).toBe(true)
  })

  test('does not keep its own trigger from continuing, nor another from being cancelled', () => {
    const first = inserted('a', 'claimed')
    const second = inserted('b')
    expect(moveTrigger(db, first, triggerIn('written', first))).toBe(true)
    expect(moveTrigger(db, second, triggerIn('cancelled', second))).toBe(true)
  })

  test('of a second trigger is refused by the database itself', () => {
    inserted('a', 'submitted')
    expect(() => inserted('b', 'claimed')).toThrow('UNIQUE')
  })

  test('that is rolled back leaves neither the claim nor its line in the audit', () => {
    const queued = inserted('a')
    const work = () => {
      moveTrigger(db, queued, claimed(queued))
      appendAudit(db, { at: 200, kind: 'trigger_claimed', actor: 'trailboss', triggerId: 'a' })
      throw new Error('no')
    }
    expect(() => inTransaction(db, work)).toThrow('no')
    expect(readTrigger(db, 'a')?.state).toBe('queued')
    expect(listAudit(db).lines).toEqual([])
  })
})

describe('triggers', () => {
  const ids = (triggers: Trigger[]) => triggers.map(({ id }) => id)

  test('are listed by runtime, agent, thread and state, oldest first', () => {
    inserted('b', 'failed', { createdAt: 200 })
    inserted('a', 'queued', { createdAt: 300 })
    inserted('c', 'queued', { createdAt: 100, runtimeId: 'rt_2', agentId: 'w/x', threadId: 'th_2' })
    const states: TriggerState[] = ['queued', 'deferred']
    expect(ids(listTriggers(db))).toEqual(['c', 'b', 'a'])
    expect(ids(listTriggers(db, { runtimeId: 'rt_1' }))).toEqual(['b', 'a'])
    expect(ids(listTriggers(db, { agentId: 'w/x' }))).toEqual(['c'])
    expect(ids(listTriggers(db, { threadId: 'th_1', states }))).toEqual(['a'])
    expect(ids(listTriggers(db, { states: [] }))).toEqual([])
  })

  test('are found by their mark, which is unique', () => {
    inserted('a', 'queued', { mark: 'k3f9x2m7q1' })
    expect(findTriggerOfMark(db, 'k3f9x2m7q1')?.id).toBe('a')
    expect(findTriggerOfMark(db, 'k3f9x2m7q2')).toBeUndefined()
    expect(() => inserted('b', 'queued', { mark: 'k3f9x2m7q1' })).toThrow('UNIQUE')
  })

  test('count for the rate limits from their claim on', () => {
    inserted('a', 'delivered', { write: { claimedAt: 500 } })
    inserted('b', 'failed', { write: { claimedAt: 700 }, threadId: 'th_2' })
    const queued = inserted('c')
    moveTrigger(db, queued, claimed(queued, 900))
    const { ofAgent, ofThread } = recentTriggers(db, queued, 600)
    expect(ofAgent.toSorted()).toEqual([700, 900])
    expect(ofThread).toEqual([900])
    expect(recentTriggers(db, { agentId: 'w/x', threadId: undefined }, 0)).toEqual({
      ofAgent: [],
      ofThread: [],
    })
  })
})

describe('the registry', () => {
  const registered = (runtimeId: string, role: string) =>
    newRuntime(
      { runtimeId, workspaceId: 'w', role, harness: 'h', socket: '/tmp/s', cwd: '/tmp' },
      100,
    )

  test('keeps one runtime per role', () => {
    const runtime = registered('rt_1', 'reviewer')
    saveRuntime(db, runtime)
    saveRuntime(db, { ...runtimeIn('ready', runtime), sessionId: 's1' })
    expect(() => saveRuntime(db, registered('rt_2', 'reviewer'))).toThrow('UNIQUE')
    expect(listRuntimes(db)).toMatchObject([{ runtimeId: 'rt_1', status: 'ready' }])
    expect(findRuntimeOfSession(db, 'h', 's1')?.runtimeId).toBe('rt_1')
    expect(findRuntimeOfSession(db, 'other', 's1')).toBeUndefined()
  })

  test('lists by workspace and status, and drops what is deregistered', () => {
    saveRuntime(db, registered('rt_1', 'reviewer'))
    saveRuntime(db, { ...runtimeIn('ready', registered('rt_2', 'builder')), failures: [1, 2] })
    expect(listRuntimes(db).map(({ role }) => role)).toEqual(['builder', 'reviewer'])
    expect(listRuntimes(db, { status: 'ready' })).toMatchObject([{ failures: [1, 2] }])
    expect(listRuntimes(db, { workspaceId: 'x' })).toEqual([])
    expect([deleteRuntime(db, 'rt_1'), deleteRuntime(db, 'rt_1')]).toEqual([true, false])
    expect(listRuntimes(db).map(({ role }) => role)).toEqual(['builder'])
  })
})

test('there is one dispatch of a name at a time, and the name means the latest', () => {
  const given = { id: 'd1', name: 'fix', workspaceId: 'w', runtimeId: 'rt_1', harness: 'h' }
  const dispatch = newDispatch(
    { ...given, cwd: '/tmp', reviewer: undefined, prompt: 'Fix it', by: 'operator:ana' },
    1,
  )
  saveDispatch(db, dispatch)
  expect(() => saveDispatch(db, { ...dispatch, id: 'd2' })).toThrow('UNIQUE')
  saveDispatch(db, { ...dispatch, state: 'done', endedAt: 5 })
  saveDispatch(db, { ...dispatch, id: 'd2', startedAt: 6 })
  expect(findDispatch(db, 'fix')?.id).toBe('d2')
  expect(listDispatches(db).map(({ id }) => id)).toEqual(['d2', 'd1'])
  expect(listDispatches(db, { isRunning: false }).map(({ id }) => id)).toEqual(['d1'])
})
