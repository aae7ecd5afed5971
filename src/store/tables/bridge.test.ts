import { readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freshDirectory } from '../../../test/support/store/database-path.ts'
import { newCursor } from '../../core/bridge/cursor.ts'
import { type Author, type BridgeMessage, isFor } from '../../core/bridge/message.ts'
import { closed, joined, newThread } from '../../core/bridge/thread.ts'
import { issuedToken, renewedToken, revokedToken } from '../../core/bridge/token.ts'
import { openDatabase } from '../database/database.ts'
import {
  countMessages,
  countUnread,
  countUnreadOf,
  insertMessage,
  lastSeqOf,
  listThreads,
  readCursor,
  readHeartbeat,
  readLastMessages,
  readMessages,
  readThread,
  readUnread,
  saveCursor,
  saveHeartbeat,
  saveThread,
} from './bridge.ts'
import {
  findToken,
  forgetTokens,
  insertToken,
  listTokens,
  revokeTokens,
  saveToken,
} from './tokens.ts'

const place = freshDirectory()
let db: DatabaseSync
beforeEach(() => {
  db = openDatabase(place.path)
})
afterEach(() => db.close())

const AGENTS = ['w/a', 'w/b', 'w/c']
const agent = (agentId: string): Author => ({ kind: 'agent', agentId })
const thread = (id: string, participants = AGENTS) =>
  newThread({ id, workspaceId: 'w', title: id, participants }, 100)

let posted = 0
function post(threadId: string, author: Author, to: string[] = []): BridgeMessage {
  posted++
  const id = `msg_${posted}`
  return insertMessage(db, { id, threadId, author, at: posted, text: 'x', to, findings: [] })
}
const seqs = (messages: BridgeMessage[]) => messages.map(({ seq }) => seq)

describe('threads and messages', () => {
  test('a message goes after all others', () => {
    saveThread(db, thread('th_1'))
    saveThread(db, thread('th_2'))
    const messages = ['th_1', 'th_2', 'th_1', 'th_1'].map((id) => post(id, agent('w/a')))
    expect(seqs(messages)).toEqual([1, 2, 3, 4])
    expect(readMessages(db, 'th_1')).toEqual([messages[0], messages[2], messages[3]])
    expect(seqs(readMessages(db, 'th_1', { after: 1, limit: 1 }))).toEqual([3])
    expect(seqs(readLastMessages(db, 'th_1', 2))).toEqual([3, 4])
    expect([lastSeqOf(db, 'th_1'), lastSeqOf(db, 'th_2'), lastSeqOf(db, 'th_3')]).toEqual([4, 2, 0])
  })

  test('a thread is kept as it is, and listed for its participants', () => {
    const one = thread('th_1', ['w/a'])
    saveThread(db, one)
    saveThread(db, closed(thread('th_2'), 'ana', 300))
    expect(readThread(db, 'th_1')).toEqual(one)
    expect(readThread(db, 'th_3')).toBeUndefined()
    expect(listThreads(db).map(({ id }) => id)).toEqual(['th_2', 'th_1'])
    expect(listThreads(db, { agentId: 'w/b' }).map(({ id }) => id)).toEqual(['th_2'])
    expect(listThreads(db, { agentId: 'w/a', state: 'open' }).map(({ id }) => id)).toEqual(['th_1'])
    expect(listThreads(db, { workspaceId: 'x' })).toEqual([])
  })

  test('a late participant has everything unread', () => {
    const one = thread('th_1', ['w/a'])
    saveThread(db, one)
    post('th_1', agent('w/a'))
    saveThread(db, joined(one, 'w/b', 200))
    expect(countUnread(db, 'w/b')).toEqual([
      { threadId: 'th_1', count: 1, firstSeq: 1, lastSeq: 1 },
    ])
  })
})

describe('unread', () => {
  test('is everything for the agent after its cursor, whatever was posted and read', () => {
    const step = fc.oneof(
      fc.record({
        threadId: fc.constantFrom('th_1', 'th_2'),
        author: fc.constantFrom<Author>(
          ...AGENTS.map(agent),
          { kind: 'operator', name: 'w/a' },
          { kind: 'system' },
        ),
        to: fc.subarray(AGENTS),
      }),
      fc.record({ threadId: fc.constantFrom('th_1', 'th_2'), reader: fc.constantFrom(...AGENTS) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        db.exec('DELETE FROM messages; DELETE FROM cursors; DELETE FROM threads')
        saveThread(db, thread('th_1'))
        saveThread(db, thread('th_2', ['w/a', 'w/b']))
        for (const given of steps) {
          if ('author' in given) post(given.threadId, given.author, given.to)
          else if (readCursor(db, given.threadId, given.reader)) read(given.threadId, given.reader)
        }
        for (const agentId of AGENTS) {
          const expected = ['th_1', 'th_2'].flatMap((threadId) => {
            const cursor = readCursor(db, threadId, agentId)
            const isUnread = (one: BridgeMessage) =>
              cursor !== undefined && one.seq > cursor.seq && isFor(one, agentId)
            return readMessages(db, threadId).filter(isUnread)
          })
          expect(readUnread(db, agentId)).toEqual(expected.toSorted((a, b) => a.seq - b.seq))
          const counted = countUnread(db, agentId).reduce((sum, { count }) => sum + count, 0)
          expect(counted).toBe(expected.length)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('is not counted if nothing can be done about it', () => {
    saveThread(db, thread('th_1'))
    post('th_1', agent('w/a'))
    saveThread(db, closed(thread('th_1'), 'ana', 300))
    expect(countUnread(db, 'w/b')).toEqual([])
    expect(readUnread(db, 'w/b', { threadId: 'th_1' })).toHaveLength(1)
    expect([countUnreadOf(db, 'w/b', 'th_1'), countUnreadOf(db, 'w/b', 'th_2')]).toEqual([1, 0])
    expect([countUnreadOf(db, 'w/b'), countUnreadOf(db, 'w/a')]).toEqual([1, 0])
    expect([countMessages(db, 'th_1'), countMessages(db, 'th_2')]).toEqual([1, 0])
    expect(readUnread(db, 'w/b', { threadId: 'th_2' })).toEqual([])
  })

  function read(threadId: string, agentId: string): void {
    saveCursor(db, { threadId, agentId, seq: lastSeqOf(db, threadId), at: 500 })
  }
})

test('a cursor never goes back, even if the thread is saved again', () => {
  saveThread(db, thread('th_1'))
  const cursor = { threadId: 'th_1', agentId: 'w/a', seq: 7, at: 200 }
  saveCursor(db, cursor)
  saveCursor(db, { ...cursor, seq: 3, at: 300 })
  saveCursor(db, { ...cursor, at: 400 })
  saveThread(db, thread('th_1'))
  expect(readCursor(db, 'th_1', 'w/a')).toEqual(cursor)
  expect(readCursor(db, 'th_1', 'w/b')).toEqual(newCursor('th_1', 'w/b', 100))
  expect(readCursor(db, 'th_1', 'w/x')).toBeUndefined()
})

test('the latest heartbeat of a runtime is kept', () => {
  const beat = { runtimeId: 'rt_1', status: 'active' as const, at: 200 }
  saveHeartbeat(db, beat)
  saveHeartbeat(db, { ...beat, status: 'idle', at: 100 })
  expect(readHeartbeat(db, 'rt_1')).toEqual(beat)
  expect(readHeartbeat(db, 'rt_2')).toBeUndefined()
})

describe('tokens', () => {
  const SECRET = `tbr_${'s3cret'.repeat(7)}`
  const issued = (id: string, runtimeId = 'rt_1') =>
    issuedToken({ id, runtimeId, agentId: 'w/a', workspaceId: 'w' }, 1_000)

  test('are found by their secret, which is nowhere in the files', () => {
    insertToken(db, SECRET, issued('tok_1'))
    expect(findToken(db, SECRET)).toEqual(issued('tok_1'))
    expect(findToken(db, `${SECRET}x`)).toBeUndefined()
    for (const suffix of ['', '-wal']) {
      expect(readFileSync(place.path + suffix).includes(SECRET)).toBe(false)
    }
  })

  test('stay revoked, and never expire earlier', () => {
    const token = issued('tok_1')
    insertToken(db, SECRET, token)
    const renewed = renewedToken(token, 5_000)
    saveToken(db, renewed)
    saveToken(db, token)
    expect(findToken(db, SECRET)).toEqual(renewed)
    const revoked = revokedToken(renewed, 'by the operator', 6_000)
    saveToken(db, revoked)
    saveToken(db, revokedToken(renewed, 'stopped', 7_000))
    saveToken(db, renewed)
    expect(findToken(db, SECRET)).toEqual(revoked)
  })

  test('are revoked with their runtime, each once', () => {
    insertToken(db, 'a', issued('tok_1'))
    insertToken(db, 'b', issued('tok_2'))
    insertToken(db, 'c', issued('tok_3', 'rt_2'))
    expect(revokeTokens(db, 'rt_1', 'stopped', 2_000)).toHaveLength(2)
    expect(revokeTokens(db, 'rt_1', 'stopped', 3_000)).toEqual([])
    expect(findToken(db, 'a')?.revoked).toEqual({ at: 2_000, why: 'stopped' })
    expect(listTokens(db).filter(({ revoked }) => !revoked)).toMatchObject([{ id: 'tok_3' }])
    expect(listTokens(db, 'rt_2')).toHaveLength(1)
  })

  test('are dropped some time after their expiry', () => {
    insertToken(db, 'a', revokedToken(issued('tok_1'), 'stopped', 2_000))
    insertToken(db, 'b', issued('tok_2'))
    expect(forgetTokens(db, 2_001)).toBe(1)
    expect(listTokens(db)).toMatchObject([{ id: 'tok_2' }])
    expect(forgetTokens(db, issued('tok_2').expiresAt + 1)).toBe(1)
  })
})
