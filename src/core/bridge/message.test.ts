import { describe, expect, test } from 'vitest'
import { type Author, authorName, checkedDraft, isFor, MESSAGE_LIMITS } from './message.ts'

const agent = (agentId: string): Author => ({ kind: 'agent', agentId })

describe('a draft', () => {
  test('is made safe to show', () => {
    const draft = checkedDraft({
      text: ' one\u001b[31m\r\ntwo\u202e ',
      findings: ['it\nleaks\u0007', ' ', '\u200b'],
      progress: ' commit\n1f3e ',
    })
    expect(draft).toEqual({
      text: 'one\ntwo',
      to: [],
      findings: ['it leaks'],
      progress: 'commit 1f3e',
    })
  })

  test('is stored without the secrets in it', () => {
    const findings = ['it logs password=hunter2']
    const draft = checkedDraft({ text: 'Use ana:x1y2@db', findings, progress: 'TOKEN=abc123 set' })
    expect(draft).toMatchObject({
      findings: ['it logs password=[redacted]'],
      progress: 'TOKEN=[redacted] set',
    })
  })

  test('names each recipient once', () => {
    expect(checkedDraft({ text: 'x', to: ['w/a', 'w/a', 'w/b'] }).to).toEqual(['w/a', 'w/b'])
  })

  test('without progress has no such field', () => {
    expect(checkedDraft({ text: 'x', progress: ' ' })).not.toHaveProperty('progress')
  })

  test.each(['', ' \n', '\u001b[2J\u0000\u200b'])('%j has no text', (text) => {
    expect(() => checkedDraft({ text })).toThrow('no text that can be shown')
  })

  test('is counted in bytes', () => {
    const most = 'ä'.repeat(MESSAGE_LIMITS.textBytes / 2)
    expect(checkedDraft({ text: most }).text).toBe(most)
    expect(() => checkedDraft({ text: `${most}x` })).toThrow('has 32769 bytes')
    expect(() => checkedDraft({ text: '😀'.repeat(MESSAGE_LIMITS.textBytes / 4 + 1) })).toThrow(
      'has 32772 bytes',
    )
  })

  test.each([
    ['findings', { findings: Array.from({ length: 51 }, String) }, 'has 51 findings'],
    ['recipients', { to: Array.from({ length: 33 }, String) }, 'has 33 recipients'],
    ['a long finding', { findings: ['x'.repeat(1_001)] }, 'A finding has 1001 characters'],
    ['long progress', { progress: 'x'.repeat(1_001) }, 'The progress has 1001 characters'],
  ])('has its limits: %s', (_, given, message) => {
    expect(() => checkedDraft({ text: 'x', ...given })).toThrow(message)
  })
})

describe('a message', () => {
  test('is for everybody except its author, or for those it names', () => {
    const toAll = { author: agent('w/a'), to: [] }
    expect([isFor(toAll, 'w/a'), isFor(toAll, 'w/b')]).toEqual([false, true])
    const toOne = { author: agent('w/a'), to: ['w/b'] }
    expect([isFor(toOne, 'w/b'), isFor(toOne, 'w/c')]).toEqual([true, false])
  })

  test('from the operator does not come from an agent of the same name', () => {
    expect(isFor({ author: { kind: 'operator', name: 'w/a' }, to: [] }, 'w/a')).toBe(true)
  })

  test('has an author with a name', () => {
    const authors: Author[] = [agent('w/a'), { kind: 'operator', name: 'ana' }, { kind: 'system' }]
    expect(authors.map(authorName)).toEqual(['w/a', 'ana', 'trailboss'])
  })
})
