import { expect, test } from 'vitest'
import { hooksAdvice } from './hooks-advice.ts'

const rollout = (home: string) =>
  `${home}/sessions/2026/11/16/rollout-2026-11-16T04-59-47-01a1.jsonl`

test.each<[string, string | undefined, Record<string, string>]>([
  ['nobody reported where its rollout is', undefined, {}],
  ['it is under the usual home', rollout('/home/op/.codex'), {}],
  ['it is under ours', rollout('/c'), { CODEX_HOME: '/c' }],
  ['it is where no Codex keeps one', '/tmp/s.jsonl', {}],
  ['its path cannot be shown', rollout('/c\u001b'), {}],
])('if %s, the advice is about the usual home', (_, transcript, env) => {
  expect(hooksAdvice(transcript, { HOME: '/home/op', ...env })).toMatch(
    /^Wire it with: trailboss install codex\./,
  )
})

test('a session with another home is wired there', () => {
  expect(hooksAdvice(rollout('/a b'), { HOME: '/home/op' })).toBe(
    "It has a home of its own. Wire it with: CODEX_HOME='/a b' trailboss install codex",
  )
})
