import { expect, test } from 'vitest'
import type { Site } from '../../harness/wiring/wiring.ts'
import { trustChecks } from './trust-checks.ts'

const FILES: Record<string, string> = {
  '/home/op/.claude.json': '{"projects":{"/r":{"hasTrustDialogAccepted":true}}}',
  '/home/op/.codex/config.toml': '[projects."/r"]\ntrust_level = "untrusted"\n',
}
const site = { env: {}, home: '/home/op', read: (path: string) => FILES[path] } as unknown as Site
const checks = (...places: [harness: string, folder: string][]) =>
  trustChecks(
    'ranch',
    places.map(([harness, folder]) => ({ harness, folder })),
    site,
  )

test('each folder is checked once for each harness that asks for trust', () => {
  const all = checks(
    ['claude-code', '/r'],
    ['claude-code', '/r'],
    ['opencode', '/r'],
    ['codex', '/r'],
  )
  expect(all).toMatchObject([
    { name: 'Claude Code', status: 'ok', detail: 'it trusts /r' },
    {
      name: 'Codex',
      status: 'warning',
      detail: expect.stringContaining('was set not to trust /r'),
    },
  ])
})

test('a folder without a decision is reported, with where to answer', () => {
  expect(checks(['claude-code', '/s'])).toEqual([
    {
      name: 'Claude Code',
      status: 'warning',
      detail: 'it does not trust /s yet: it asks once when it starts',
      mend: 'Answer it in its pane: tmux attach -t agents_ranch',
    },
  ])
  expect(checks(['gemini', '/s'])).toMatchObject([
    { status: 'warning', detail: 'whether it trusts /s cannot be seen' },
  ])
})
