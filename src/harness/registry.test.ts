import { expect, test } from 'vitest'
import { adapterFor } from './registry.ts'

test('an adapter is found by the name of its harness, and by nothing else', () => {
  expect(adapterFor('claude-code')?.harness).toBe('claude-code')
  for (const name of ['', 'unheard', '__proto__', 'Claude-Code']) {
    expect(adapterFor(name)).toBeUndefined()
  }
})
