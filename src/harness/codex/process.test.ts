import { expect, test } from 'vitest'
import { isCodex, isCodexDaemon } from './process.ts'

const BINARY = '/opt/node_modules/@openai/codex-linux-x64/vendor/bin/codex'

test.each<[name: string, argv: string[], isIt: boolean]>([
  ['codex', [BINARY], true],
  ['codex', [BINARY, '--no-daemon', 'tidy up'], true],
  ['codex', [BINARY, 'resume', '01a1e2b9'], true],
  ['codex', [BINARY, '-c', 'exec', '--model', 'exec'], true],
  ['codex', [BINARY, 'exec', 'go'], false],
  ['codex', [BINARY, 'app-server', '--listen', 'unix://'], false],
  ['codex', [BINARY, 'mcp-server'], false],
  ['node', ['node', '/opt/node_modules/.bin/codex'], false],
  ['vim', ['vim', 'codex'], false],
])('%s %j is Codex in front of a human: %s', (name, argv, isIt) => {
  expect(isCodex({ name, argv })).toBe(isIt)
})

test('the shared daemon is recognised by what it listens on', () => {
  const daemon = [BINARY, 'app-server', '--listen', 'unix://', '--managed-daemon']
  expect(isCodexDaemon({ name: 'codex', argv: daemon })).toBe(true)
  expect(isCodexDaemon({ name: 'codex', argv: [BINARY, 'app-server'] })).toBe(false)
  expect(isCodexDaemon({ name: 'codex', argv: [BINARY] })).toBe(false)
})
