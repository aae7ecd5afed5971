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
  unblockedByOrchestrator,
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
  test('starts open, with a title that can be shown and each participant once', () => {
    expect(open).toMatchObject({
      title: 'Review of the parser',
      participants: ['w/executioner', 'w/reviewer'],
      state: { kind: 'open' },
      createdAt: 100,
    })
  })

  test('accepts the post that blocks it, and no post of an agent after that', () => {
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

  test('accepts a post of the operator while it is blocked, and stays blocked', () => {
    expect(afterPost(blocked, OPERATOR, note, 300).state).toEqual(blocked.state)
  })

  test('counts from zero when the operator decides to continue', () => {
    const again = unblocked(blocked, 400)
    expect(again.state).toEqual({ kind: 'open' })
    expect(posts(again, 19).state.kind).toBe('open')
    expect(posts(again, 20).state.kind).toBe('blocked')
  })

  test('that is open keeps its count when it is unblocked', () => {
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

  test('does not exist for those who are not in it', () => {
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

  test('delivers a post to the others, and to nobody once it accepts no more posts', () => {
    expect(readersOf(open, AGENT, note)).toEqual(['w/reviewer'])
    expect(readersOf(open, OPERATOR, note)).toEqual(['w/executioner', 'w/reviewer'])
    expect(readersOf(blocked, AGENT, note)).toEqual([])
  })
})

describe('the orchestrator', () => {
  const again = (thread: Thread) => {
    let after = thread
    while (after.state.kind === 'open') after = posts(after, 1)
    return after
  }
  const progress = (thread: Thread, text: string) =>
    afterPost(thread, AGENT, checkedDraft({ text: 'There.', progress: text }), 400)

  test('unblocks a thread once, until somebody makes progress', () => {
    const goesOn = unblockedByOrchestrator(blocked, 300)
    expect(goesOn.state).toEqual({ kind: 'open' })
    const stuckAgain = again(goesOn)
    expect(stuckAgain.state.kind).toBe('blocked')
    expect(() => unblockedByOrchestrator(stuckAgain, 500)).toThrow(
      expect.objectContaining({ code: 'THREAD_BLOCKED' }),
    )
    expect(unblocked(stuckAgain, 500).state).toEqual({ kind: 'open' })
    const afterProgress = again(progress(goesOn, 'commit 1f3e'))
    expect(unblockedByOrchestrator(afterProgress, 500).state).toEqual({ kind: 'open' })
  })

  test('gains nothing from progress that was reported before', () => {
    const before = again(progress(open, 'commit 1f3e'))
    const repeated = again(progress(unblockedByOrchestrator(before, 300), 'Commit  1F3E'))
    expect(() => unblockedByOrchestrator(repeated, 500)).toThrow(/nobody has made progress/)
  })

  test('can do it again after the operator has decided or posted', () => {
    const used = again(unblockedByOrchestrator(blocked, 300))
    expect(unblockedByOrchestrator(again(unblocked(used, 500)), 600).state.kind).toBe('open')
    const spoken = afterPost(unblockedByOrchestrator(blocked, 300), OPERATOR, note, 310)
    expect(unblockedByOrchestrator(again(spoken), 600).state.kind).toBe('open')
  })
})
