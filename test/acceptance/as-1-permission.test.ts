import { describe, expect } from 'vitest'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

describe('AS-1 — single permission block', () => {
  test('"a session runs a tool needing approval → within a few seconds it appears in the queue with reason=permission and the proposed command visible → Next lands the operator on that pane → approving … → queue empty"', async ({
    world,
  }) => {
    const agent = await world.agent('shop')
    await agent.askPermission({ command: 'make deploy', runsForMs: 300 })

    const [item] = await world.waitForQueue('the permission to be queued', ([i]) =>
      Boolean(i?.ask.text.includes('make deploy')),
    )
    expect(item).toMatchObject({
      session: agent.session,
      harness: 'claude-code',
      reason: 'permission',
      ready: true,
      pane: agent.pane,
      cwd: agent.cwd,
      ask: { tool: 'Bash' },
    })
    expect(item?.ask.text).toContain('make deploy')
    expect((await world.trailboss('list')).stdout).toContain('make deploy')

    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(agent.pane)
    await world.operator.waitToSee(/Do you want to proceed\?/)
    await world.operator.press('y')

    await world.waitForQueue('the answered item to be gone', (q) => q.length === 0)
    const [session] = await world.sessions()
    expect(session).toMatchObject({ session: agent.session, state: 'working' })
    const sinceApproval = () => {
      const journal = agent.journal()
      const hooks = journal.slice(journal.findIndex(({ did }) => did === 'approved'))
      return hooks.filter(({ did }) => did === 'hook').map(({ name }) => name)
    }
    await waitFor(sinceApproval, {
      what: 'PostToolUse, and no other hook, to have told of the approval',
      until: (names) => names.join() === 'PostToolUse',
    })
    expect(agent.keys()).toBe('y')
  })

  test('a denied permission leaves no hook: the transcript turns the item into a stopped one', async ({
    world,
  }) => {
    const agent = await world.agent('shop', { statusFile: false })
    await agent.askPermission({ command: 'rm -rf build' })
    await world.waitForQueue('the permission to be queued', ([i]) => i?.reason === 'permission')

    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(agent.pane)
    await world.operator.press('Escape')

    await world.waitForQueue(
      'it to wait for the next instruction',
      ([i]) => i?.reason === 'stopped',
    )
    const journal = agent.journal()
    const denial = journal.findIndex(({ did }) => did === 'denied')
    expect(denial).toBeGreaterThan(0)
    expect(journal.slice(denial).filter(({ did }) => did === 'hook')).toEqual([])
  })

  test("a subagent's permission blocks its session although the main thread has stopped", async ({
    world,
  }) => {
    const agent = await world.agent('shop')
    await agent.subagentPermission({ command: 'curl internal' })

    const [item] = await world.waitForQueue('the request to be queued', ([i]) =>
      Boolean(i?.ask.text.includes('curl internal')),
    )
    expect(item).toMatchObject({ reason: 'permission', pane: agent.pane })
    expect(item?.ask.text).toContain('curl internal')

    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(agent.pane)
    await world.operator.press('Enter')
    await world.waitForQueue('the answered item to be gone', (q) => q.length === 0)
  })
})
