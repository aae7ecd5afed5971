import { describe, expect, test } from 'vitest'
import { isCalled } from './item-called.ts'
import { itemNames, type Nameable } from './item-names.ts'

const item = (more: Partial<Nameable> = {}): Nameable => ({
  session: '0123456789',
  project: 'api',
  branch: 'fix/login',
  worktree: 'api-2',
  window: 'work:3',
  pane: { id: '%4' },
  ...more,
})

describe('an item is called', () => {
  test.each([
    'api',
    'fix/login',
    'api fix/login',
    'api/fix/login',
    'fix/login api',
    'api-2',
    'work:3',
    'api %4',
    'api · fix/login · work:3',
    'api 01234567',
  ])('%s', (text) => {
    expect(isCalled(text, item())).toBe(true)
  })

  test.each(['', ' ', '-', 'ap', 'apix', 'api api', 'login', 'api fix', 'web fix/login'])(
    'not %j',
    (text) => {
      expect(isCalled(text, item())).toBe(false)
    },
  )

  test('by a project with a blank in it, and by its agent', () => {
    expect(isCalled('my api main', item({ project: 'my api', branch: 'main' }))).toBe(true)
    expect(isCalled('ranch/lead', item({ agent: 'ranch/lead' }))).toBe(true)
  })

  test('by each name that a list gives it', () => {
    const items = [
      item(),
      item({ branch: 'main' }),
      item({ worktree: 'api-3' }),
      item({ pane: { id: '%5' } }),
      item({ project: '\u001b[31mred\u0007' }),
    ]
    for (const isRoomy of [false, true]) {
      const names = itemNames(items, { isRoomy })
      expect(items.map((one, index) => isCalled(names[index]!, one))).not.toContain(false)
    }
  })

  test('nothing by the dash of a missing project', () => {
    expect(isCalled('-', item({ project: null }))).toBe(false)
  })
})
