import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutMiddle } from '../../text/columns.ts'
import { itemNames, type Nameable } from './item-names.ts'

const item = (session: string, more: Partial<Nameable> = {}): Nameable => ({
  session,
  project: 'api',
  pane: null,
  ...more,
})

describe('the name of an item', () => {
  test('is the project alone as long as that is enough', () => {
    const items = [item('a', { branch: 'main' }), item('b', { project: 'web', branch: 'main' })]
    expect(itemNames(items)).toEqual(['api', 'web'])
    expect(itemNames(items, { isRoomy: true })).toEqual(['api main', 'web main'])
  })

  test('leaves out what is shown beside it', () => {
    const items = [
      item('a', { branch: 'main' }),
      item('b', { branch: 'fix' }),
      item('c', { branch: 'fix' }),
    ]
    const names = itemNames(items, { beside: ({ branch }) => `${branch}\n` })
    expect(names).toEqual(['api', 'api b', 'api c'])
  })

  test('of a decision has the beginning of the id that its asker chose', () => {
    const names = itemNames([item('decision-deploy-1'), item('decision-5f0c1a2b-77')])
    expect(names).toEqual(['api deploy-1', 'api 5f0c1a2b'])
  })

  test('is the agent of a workspace', () => {
    expect(itemNames([item('a', { agent: 'ranch/lead', branch: 'main' })])).toEqual(['ranch/lead'])
  })

  test('has the branch where another item has the same project', () => {
    const names = itemNames([
      item('a', { branch: 'main' }),
      item('b', { branch: 'fix-login', worktree: 'api-2' }),
      item('c', { project: 'web', branch: 'main' }),
    ])
    expect(names).toEqual(['api main', 'api fix-login', 'web'])
  })

  test('has the window where the checkout is the same, and then the pane', () => {
    const same = { branch: 'main', window: 'work:1' }
    const names = itemNames([
      item('a', { ...same, pane: { id: '%1' } }),
      item('b', { ...same, pane: { id: '%2' } }),
      item('c', { ...same, window: 'work:2', pane: { id: '%3' } }),
    ])
    expect(names).toEqual(['api work:1 %1', 'api work:1 %2', 'api work:2'])
  })

  test('has the start of the session id if there is nothing else', () => {
    expect(itemNames([item('0123456789'), item('fedcba9876')])).toEqual([
      'api 01234567',
      'api fedcba98',
    ])
  })

  test('is numbered if nothing that fits tells it apart', () => {
    expect(itemNames([item('12345678#1'), item('12345678#2')])).toEqual(['api #1', 'api #2'])
  })

  test('shows no control, and a missing project as a dash', () => {
    expect(
      itemNames([item('a', { project: '\u001b[31mred\u0007\n' }), item('b', { project: null })]),
    ).toEqual(['red', '-'])
  })
})

describe('any list', () => {
  const LONG = 'x'.repeat(60)
  // Mostly alike: what differs at random tests nothing.
  const alike = fc.constantFrom('api', 'a b', 'a', 'b', LONG, `${LONG}y`, '漢字'.repeat(9))
  const word = fc.oneof({ arbitrary: alike, weight: 9 }, fc.string({ maxLength: 40 }))
  const nameable = fc.record(
    {
      session: fc.constantFrom('12345678', '12345678#1', '12345678#2', 'ab'),
      project: fc.option(word, { nil: null }),
      pane: fc.option(fc.record({ id: fc.constantFrom('%1', '%2') }), { nil: null }),
      branch: word,
      worktree: word,
      window: word,
    },
    { requiredKeys: ['session', 'project', 'pane'] },
  )

  /** Some of them several times: two sessions may differ in nothing that a name is made of. */
  const lists = fc
    .array(nameable, { minLength: 1, maxLength: 12 })
    .chain((some) =>
      fc.array(fc.constantFrom(...some), { maxLength: 8 }).map((more) => [...some, ...more]),
    )

  test('has names that all differ, also when they are cut to a column', () => {
    fc.assert(
      fc.property(
        lists,
        fc.integer({ min: 10, max: 50 }),
        fc.boolean(),
        (items, columns, isRoomy) => {
          const whole = itemNames(items, { isRoomy })
          expect(new Set(whole).size).toBe(items.length)
          const shorten = (name: string) => cutMiddle(name, columns)
          const names = itemNames(items, { shorten, isRoomy })
          expect(new Set(names).size).toBe(items.length)
          expect(names.map(shorten)).toEqual(names)
        },
      ),
      { numRuns: 300 },
    )
  })
})
