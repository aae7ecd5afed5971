import { describe, expect, test } from 'vitest'
import type { MessageView, ThreadView } from '../../contract/supervisor.ts'
import { threadTable, threadText } from './thread-text.ts'

const NOW = 1_794_827_091_340
const thread: ThreadView = {
  id: 'th_1',
  workspace: 'ranch',
  title: 'The parser',
  participants: ['ranch/executor', 'ranch/reviewer'],
  state: { kind: 'open' },
  sentence: null,
  turnsWithoutProgress: 3,
  createdAt: NOW - 3_600_000,
  updatedAt: NOW - 60_000,
  cursors: [
    { agent: 'ranch/executor', seq: 2, unread: 0 },
    { agent: 'ranch/reviewer', seq: 0, unread: 2 },
  ],
  lastSeq: 2,
}
const blocked: ThreadView = {
  ...thread,
  id: 'th_2',
  state: { kind: 'blocked', at: NOW, circle: { kind: 'no-progress', turns: 20 } },
  sentence: '20 turns without progress.',
}
const message: MessageView = {
  id: 'msg_1',
  seq: 1,
  thread: 'th_1',
  author: { kind: 'agent', agentId: 'ranch/executor' },
  to: ['ranch/reviewer'],
  text: 'Please\nreview',
  findings: ['It leaks.'],
  progress: 'commit 1f3e',
  at: NOW - 60_000,
}

describe('threads as a table', () => {
  test('have a row each, with their roles and what is unread', () => {
    expect(threadTable([thread, blocked], { now: NOW, width: 100 })).toBe(
      [
        'THREAD  STATE    SPOKEN  UNREAD  WHO                TITLE',
        'th_1    open     1m      2       executor reviewer  The parser',
        'th_2    blocked  1m      2       executor reviewer  The parser',
      ].join('\n'),
    )
  })
})

describe('a thread as text', () => {
  test('shows how far everybody has read, and what was posted', () => {
    expect(threadText(thread, [message], { now: NOW })).toBe(
      [
        'The parser is open.',
        '',
        '  thread          th_1',
        '  opened          1h00m ago',
        '  spoken in       1m ago',
        '  turns           3 without progress',
        '  ranch/executor  has read everything',
        '  ranch/reviewer  has 2 to read',
        '',
        'ranch/executor to ranch/reviewer, 1m ago',
        '  Please',
        '  review',
        '  finding: It leaks.',
        '  progress: commit 1f3e',
      ].join('\n'),
    )
  })

  test('says why it is blocked, and how to decide', () => {
    const text = threadText(blocked, [], { now: NOW })
    expect(text).toContain('The parser is blocked.\n20 turns without progress.')
    expect(text).toContain('trailboss thread unblock th_2')
    expect(text).toContain('trailboss thread close th_2')
  })

  test('lets nothing that was posted control the terminal', () => {
    const hostile = { ...message, text: 'a\u001b[2Jb\u202ec', findings: ['d\u001b]0;x\u0007e'] }
    const text = threadText({ ...thread, title: 't\u001b[31m' }, [hostile], { now: NOW })
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(text).toContain('  abc')
  })
})
