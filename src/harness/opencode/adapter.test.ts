import { expect, test } from 'vitest'
import { isOpencode } from './adapter.ts'

test.each([
  ['opencode', ['opencode']],
  ['opencode', ['/usr/bin/opencode', '--session', 'ses_1']],
  ['opencode', ['opencode', 'projects/run-fast']],
  ['opencode', ['opencode', 'attach', 'http://localhost:4096']],
  ['opencode.exe', ['/opt/node_modules/opencode-ai/bin/opencode.exe', '-c']],
])('%s is opencode with a screen: %j', (name, argv) => {
  expect(isOpencode({ name, argv })).toBe(true)
})

test.each([
  ['opencode', ['opencode', 'run', 'Say hello']],
  ['opencode', ['opencode', '--print-logs', 'serve']],
  ['vim', ['vim', 'opencode']],
  ['opencode-web', ['opencode-web']],
])('%s is none: %j', (name, argv) => {
  expect(isOpencode({ name, argv })).toBe(false)
})
