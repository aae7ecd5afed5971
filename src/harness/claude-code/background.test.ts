import { expect, test } from 'vitest'
import { background } from './background.ts'

const { viewOf, openCommand } = background

test.each([
  [['claude', 'attach', 'd3553383'], { job: 'd3553383' }],
  [['/usr/bin/node', '/opt/claude/cli.js', 'attach', 'd3553383'], { job: 'd3553383' }],
  [['claude', 'attach', 'fix the build'], {}],
  [['claude', 'attach'], {}],
  [['claude', 'agents'], {}],
  [['claude'], undefined],
  [['claude', '--resume', 'attach'], undefined],
  [['claude', 'please attach the file'], undefined],
])('%j shows %j', (argv, view) => {
  expect(viewOf?.(argv)).toEqual(view)
})

test.each([
  ['/home/op/.claude/projects/-p/s.jsonl', ['-u', 'CLAUDE_CONFIG_DIR']],
  ['/home/op/work/claude/projects/-p/s.jsonl', ['CLAUDE_CONFIG_DIR=/home/op/work/claude']],
  ['/elsewhere/s.jsonl', ['-u', 'CLAUDE_CONFIG_DIR']],
  [undefined, ['-u', 'CLAUDE_CONFIG_DIR']],
])('a session with the transcript %s is opened with %j', (transcript, place) => {
  const about = { job: 'd3553383', program: '/opt/claude', argv: [] }
  const session = { ...about, transcript, home: '/home/op' }
  expect(openCommand(session)).toEqual([
    ...['env', '-u', 'CLAUDECODE', ...place],
    ...['/opt/claude', 'attach', 'd3553383'],
  ])
})
