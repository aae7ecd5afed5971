import { describe, expect, test } from 'vitest'
import type { Notice, NoticeItem } from './notice-text.ts'
import { noticeAsk, noticeName, noticeOf } from './notice-text.ts'
import { terminalSequence } from './terminal-sequence.ts'

const item = (name: string, more: Partial<NoticeItem> = {}): NoticeItem => ({
  ...{
    name,
    session: 's1',
    episode: 7,
    harness: 'claude-code',
    agent: null,
    project: 'api',
    branch: 'main',
  },
  ...{ label: 'asks', since: 1_000, window: 'work:api', pane: '%3', ask: 'Which port?' },
  ...more,
})

describe('a notice', () => {
  test('about one agent says which, where, and what it asks', () => {
    expect(noticeOf({ id: '1', level: 'first', items: [item('api/main')] }, 9_000)).toMatchObject({
      title: 'api/main asks',
      text: 'claude-code in work:api: Which port?',
      line: 'api/main asks (claude-code in work:api: Which port?)',
      count: 1,
    })
  })

  test('about several is one line with the oldest', () => {
    const items = ['api/main', 'b', 'c', 'd'].map((name) => item(name))
    const { line } = noticeOf({ id: '1', level: 'first', items }, 1_000 + 6 * 60_000)
    expect(line).toBe('4 agents wait, oldest: api/main, 6 min')
  })

  test('that is the second one says so, and one without an ask still says where', () => {
    const items = [item('api/main', { ask: null, label: 'permission', window: null })]
    expect(noticeOf({ id: '1', level: 'again', items }, 0).line).toBe(
      'Still waiting: api/main wants a permission (claude-code in %3)',
    )
  })

  test('lists the oldest of very many', () => {
    const items = Array.from({ length: 500 }, (_, n) => item(`a${n}`))
    const notice = noticeOf({ id: '1', level: 'first', items }, 0)
    expect(notice).toMatchObject({ count: 500, title: '500 agents wait' })
    expect(notice.items).toHaveLength(20)
  })
})

test.each([
  [{ agent: 'ranch/lead', project: 'api', session: 's' }, 'ranch/lead'],
  [{ project: 'api', branch: 'main', session: 's' }, 'api/main'],
  [{ project: 'api', session: 's' }, 'api'],
  [{ project: null, session: 'abc' }, 'abc'],
  [{ project: 'a\u001b[31mpi\n', session: 's' }, 'api'],
])('%o is named %s', (of, name) => {
  expect(noticeName(of)).toBe(name)
})

test('an ask is one short line without secrets and controls', () => {
  expect(
    noticeAsk('Run\n  curl\u001b]52;c;x\u0007 -H "Authorization: Bearer abcdefgh12345678abcdefgh"'),
  ).toBe('Run · curl -H "Authorization: Bearer [redacted]"')
  expect(noticeAsk('x'.repeat(5_000))).toHaveLength(200)
})

describe('in a terminal', () => {
  const hostile: Notice = {
    ...{ id: 'a#1\u001b\\', level: 'first', count: 1, items: [] },
    title: '4;1;50\u0007\u001b\\\u009c evil',
    text: `x;y\u001b]0;title\u0007${'z'.repeat(5_000)}\u009d52;c;AAAA\u009c`,
    line: '4;1;50\u0007\u001b[2J evil',
  }
  const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/

  test.each([
    ['osc9', 1],
    ['osc777', 1],
    ['osc99', 2],
  ] as const)('%s is whole sequences, and hostile text stays inside', (channel, count) => {
    const sequence = terminalSequence(channel, hostile)
    const parts = sequence.split('\u001b\\')
    expect(parts).toHaveLength(count + 1)
    expect(parts.pop()).toBe('')
    for (const part of parts) {
      expect(part.startsWith('\u001b]')).toBe(true)
      expect(part.slice(2)).not.toMatch(CONTROLS)
    }
    expect(Buffer.byteLength(sequence)).toBeLessThan(1_024)
  })

  test('no text becomes another command, or another field', () => {
    expect(terminalSequence('osc9', hostile)).toMatch(/^.\]9;Trail Boss: 4;1;50/)
    expect(terminalSequence('osc777', hostile).split(';')).toHaveLength(4)
    expect(terminalSequence('osc99', hostile)).toMatch(/^.\]99;i=trailboss-a1:d=0:u=1:p=title;/)
    expect(terminalSequence('bell', hostile)).toBe('\u0007')
  })
})
