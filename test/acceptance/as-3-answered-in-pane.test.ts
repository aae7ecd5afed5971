import { describe, expect } from 'vitest'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

describe('AS-3 — answered-in-pane (reconcile)', () => {
  test('"a stopped session is queued; the operator answers it directly in its pane (not via Trail Boss) → the new transcript entry causes reconcile to dequeue it with no UI action"', async ({
    world,
  }) => {
    const agent = await world.agent('a', { statusFile: false })
    await agent.stop('What next?')
    await world.waitForQueue('it to be queued', (q) => q.length === 1)
    await agent.setHooks(false)

    await world.operator.lookAt(agent.pane)
    await world.operator.type('write the tests')
    await world.operator.press('Enter')

    await world.waitForQueue('it to be dequeued', (q) => q.length === 0)
    const [session] = await world.sessions()
    expect(session).toMatchObject({ session: agent.session, state: 'working' })
    const answered = agent.journal().findIndex(({ keys }) => String(keys).includes('\r'))
    const after = agent.journal().slice(answered)
    expect(after.filter(({ did }) => did === 'hook')).toEqual([])
    expect(after.map(({ name }) => name)).toContain('UserPromptSubmit')
    expect(await world.operator.pane()).toEqual(agent.pane)
  })

  test('with hooks at work the answer dequeues it too, and the next stop queues it again', async ({
    world,
  }) => {
    const agent = await world.agent('a', { prompt: null })
    await world.operator.lookAt(agent.pane)
    await world.operator.type('say hello')
    await world.operator.press('Enter')
    await waitFor(world.sessions, {
      what: 'it to be at work',
      until: ([session]) => session?.state === 'working',
    })
    await agent.stop('Hello.')
    const [first] = await world.waitForQueue('the turn to end', (q) => q.length === 1)

    await world.operator.type('again')
    await world.operator.press('Enter')
    await world.waitForQueue('it to be dequeued', (q) => q.length === 0)
    await agent.stop('Hello again.')
    const [second] = await world.waitForQueue('the second turn to end', (q) => q.length === 1)
    expect(second!.since).toBeGreaterThan(first!.since)
  })

  test('a turn interrupted with Escape fires no hook: the transcript queues it', async ({
    world,
  }) => {
    const agent = await world.agent('a', { statusFile: false })
    await world.operator.lookAt(agent.pane)
    await world.operator.press('Escape')

    const [item] = await world.waitForQueue(
      'the interrupted turn to be queued',
      (q) => q.length > 0,
    )
    expect(item).toMatchObject({ session: agent.session, reason: 'stopped', pane: agent.pane })
    expect(agent.journal().map(({ name }) => name)).not.toContain('Stop')
  })
})
