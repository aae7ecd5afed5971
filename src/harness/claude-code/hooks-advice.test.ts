import { expect, test } from 'vitest'
import { hooksAdvice } from './hooks-advice.ts'

const USUAL = 'Wire it with: trailboss install claude-code'

test.each<[string, string | undefined, Record<string, string>]>([
  ['nobody reported where its transcript is', undefined, {}],
  ['it is under the usual directory', '/home/op/.claude/projects/-p/s.jsonl', {}],
  ['it is under ours', '/c/projects/-p/s.jsonl', { CLAUDE_CONFIG_DIR: '/c' }],
  ['it is where no Claude Code keeps one', '/tmp/s.jsonl', {}],
  ['its path cannot be shown', '/c\u001b/projects/-p/s.jsonl', {}],
])('if %s, the advice is about the usual settings', (_, transcript, env) => {
  expect(hooksAdvice(transcript, { HOME: '/home/op', ...env })).toBe(USUAL)
})

test('a session with another config directory is wired there', () => {
  const advice = (transcript: string) => hooksAdvice(transcript, { HOME: '/home/op' })
  expect(advice('/home/op/.claude-work/projects/-p/s.jsonl')).toMatch(
    /with: CLAUDE_CONFIG_DIR=\/home\/op\/\.claude-work trailboss install claude-code$/,
  )
  expect(advice('/a b/projects/-p/s.jsonl')).toContain("CLAUDE_CONFIG_DIR='/a b' trailboss")
  const other = hooksAdvice('/home/op/.claude/projects/-p/s.jsonl', { CLAUDE_CONFIG_DIR: '/c' })
  expect(other).toContain('CLAUDE_CONFIG_DIR=/home/op/.claude trailboss')
})
