import { describe, expect, test } from 'vitest'
import { type Author, checkedDraft } from './message.ts'
import {
  afterPost,
  closed,
  joined,
  newThread,
  readersOf,
  requireParticipant,
  type Thread,
  unblocked,
} from './thread.ts'

const AGENT: Author = { kind: 'agent', agentId: 'w/executioner' }
const OPERATOR: Author = { kind: 'operator', name: 'ana' }
const note = checkedDraft({ text: 'Still at it.' })

const open = newThread(
  {
    id: 'th_1',
    workspaceId: 'w',
    title: 'Review\u001b[31m of\nthe parser',
    participants: ['w/executioner', 'w/reviewer', 'w/reviewer'],
  },
  100,
)
const blocked = posts(open, 20)

function posts(thread: Thread, times: number): Thread {
  let after = thread
  for (let n = 0; n < times; n++) after = afterPost(after, AGENT, note, 200 + n)
  return after
}

describe('a thread', () => {
  test('begins open, with a title that can be shown and everybody once', () => {
    expect(open).toMatchObject({
      title: 'Review of the parser',
      participants: ['w/executioner', 'w/reviewer'],
      state: { kind: 'open' },
      createdAt: 100,
    })
  })

  test('takes the post that blocks it, and no other of an agent after that', () => {
    expect(posts(open, 19).state).toEqual({ kind: 'open' })
    expect(blocked.state).toEqual({
      kind: 'blocked',
      at: 219,
      circle: { kind: 'no-progress', turns: 20 },
    })
    expect(() => afterPost(blocked, AGENT, note, 300)).toThrow(
      expect.objectContaining({ code: 'THREAD_BLOCKED' }),
    )
  })

  test('takes the word of the operator while it is blocked, and stays blocked', () => {
    expect(afterPost(blocked, OPERATOR, note, 300).state).toEqual(blocked.state)
  })

  test('counts again when the operator decides to go on', () => {
    const again = unblocked(blocked, 400)
    expect(again.state).toEqual({ kind: 'open' })
    expect(posts(again, 19).state.kind).toBe('open')
    expect(posts(again, 20).state.kind).toBe('blocked')
  })

  test('that is open loses no count by being unblocked', () => {
    expect(posts(unblocked(posts(open, 19), 300), 1).state.kind).toBe('blocked')
  })

  test('once closed stays closed, for everybody', () => {
    const shut = closed(blocked, 'ana', 500)
    expect(closed(shut, 'bob', 600)).toBe(shut)
    for (const act of [
      () => afterPost(shut, OPERATOR, note, 700),
      () => unblocked(shut, 700),
      () => joined(shut, 'w/planner', 700),
    ]) {
      expect(act).toThrow(expect.objectContaining({ code: 'THREAD_CLOSED' }))
    }
  })

  test('does not exist for those who take no part in it', () => {
    const stranger: Author = { kind: 'agent', agentId: 'w/planner' }
    const missing = expect.objectContaining({ code: 'NOT_FOUND' })
    expect(() => afterPost(open, stranger, note, 200)).toThrow(missing)
    expect(() => requireParticipant(open, 'w/planner')).toThrow(missing)
    expect(() => requireParticipant(undefined, 'w/reviewer')).toThrow(missing)
    const larger = joined(open, 'w/planner', 200)
    expect(afterPost(larger, stranger, note, 300).updatedAt).toBe(300)
    expect(joined(larger, 'w/planner', 400)).toBe(larger)
  })

  test('refuses a recipient who is not in it', () => {
    const draft = checkedDraft({ text: 'x', to: ['w/reviewer', 'w/nobody'] })
    expect(() => afterPost(open, AGENT, draft, 200)).toThrow('Not in thread th_1: w/nobody.')
  })

  test('gives its post to the others, and to nobody once it takes no more words', () => {
    expect(readersOf(open, AGENT, note)).toEqual(['w/reviewer'])
    expect(readersOf(open, OPERATOR, note)).toEqual(['w/executioner', 'w/reviewer'])
    expect(readersOf(blocked, AGENT, note)).toEqual([])
  })
})
