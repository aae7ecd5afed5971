import { expect, test } from 'vitest'
import { adapterFor } from './registry.ts'

test.each([
  ['claude-code', '✳ Fix the login', 'Fix the login'],
  ['claude-code', '⠂ Fix the login', 'Fix the login'],
  ['claude-code', '✳ Claude Code', undefined],
  ['claude-code', 'myhost', undefined],
  ['claude-code', '~/src/api: vim', undefined],
  ['claude-code', '', undefined],
  ['codex', 'Fix the login | api', 'Fix the login'],
  ['codex', '⠹ Fix the login | api', 'Fix the login'],
  ['codex', '[ ! ] Action Required | Fix a | b | api', 'Fix a | b'],
  ['codex', '[ ! ] Action Required', undefined],
  ['codex', 'api', undefined],
  ['opencode', 'OC | Fix the login', 'Fix the login'],
  ['opencode', 'OC | New session - 2026-01-01T00:00:00.000Z', undefined],
  ['opencode', 'OpenCode', undefined],
  ['gemini', '◇  Ready (api)', undefined],
])('%s: the pane title %j names the session %j', (harness, paneTitle, title) => {
  expect(adapterFor(harness)?.sessionTitle?.(paneTitle)).toBe(title)
})
