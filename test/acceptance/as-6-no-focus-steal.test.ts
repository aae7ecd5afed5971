import { describe, expect } from 'vitest'
import type { PaneRef } from '../../src/core/pane.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

describe('AS-6 — no forced focus-steal', () => {
  test('"while the operator is typing in some pane that is not the queue head, a session resolving does not auto-switch their client; the jump happens only on a Next/Skip keypress"', async ({
    world,
  }) => {
    const head = await world.agent('head')
    const next = await world.agent('next', { tmuxSession: 'elsewhere' })
    const mine = await world.agent('mine', { prompt: null })
    await head.stop('Done.')
    await world.listed(head)
    await next.stop('Done too.')
    await world.waitForQueue('both to be queued', (q) => q.length === 2)
    await world.operator.lookAt(mine.pane)

    const shown: (PaneRef | null)[] = []
    const typeWhile = async (text: string, what: string, until: () => Promise<boolean>) => {
      for (const character of text) await world.operator.type(character)
      await waitFor(
        async () => {
          shown.push(await world.operator.pane())
          return until()
        },
        { what },
      )
    }
    const length = async () => (await world.queue()).length
    await typeWhile('while ', 'the head to be there', async () => (await length()) === 2)
    await head.prompt('answered by somebody else')
    await typeWhile('one resolves ', 'one to resolve', async () => (await length()) === 1)
    await head.askPermission({ command: 'make' })
    await typeWhile('and one asks ', 'a new ask', async () => (await length()) === 2)
    await next.exit()
    await typeWhile('and one ends', 'one to end', async () => (await length()) === 1)

    expect(new Set(shown.map((pane) => pane?.id))).toEqual(new Set([mine.pane.id]))
    await waitFor(() => mine.keys(), {
      what: 'every key to be in the pane the operator typed in',
      until: (keys) => keys === 'while one resolves and one asks and one ends',
    })
    expect(head.keys() + next.keys()).toBe('')

    await world.waitForQueue('the one that asks to be alone', (q) => q.length === 1)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(head.pane)
  })

  test('answering the head leaves the operator in its pane', async ({ world }) => {
    const a = await world.agent('a')
    const b = await world.agent('b')
    await a.stop('A is done.')
    await world.listed(a)
    await b.stop('B is done.')
    await world.waitForQueue('both to be queued', (q) => q.length === 2)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(a.pane)

    await world.operator.type('first')
    await world.operator.press('Enter')
    await world.waitForQueue('A to be resolved', (q) => q.length === 1)
    await world.operator.type('and more')
    await waitFor(() => a.keys(), {
      what: 'what is typed next to reach A as well',
      until: (keys) => keys === 'first\rand more',
    })
    expect(await world.operator.pane()).toEqual(a.pane)
    expect(b.keys()).toBe('')
  })
})
