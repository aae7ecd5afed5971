import { describe, expect } from 'vitest'
import { endCommand, hasBegun, LONG_COMMAND } from './support/long-command.ts'
import { askUser, bash, createGate, holdBack, say } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

describe.each([
  ['with hooks', realTest()],
  ['without hooks', realTest({ hooks: false })],
])('while the daemon is down, %s,', (_, test) => {
  test('a turn that ends is in its first answer', async ({ agent, real }) => {
    const gate = createGate()
    await agent.prompt('End it unseen', say('Ended unseen.', { before: gate }))
    await agent.waitForStatus('busy')
    await real.world.trailboss('down')
    gate.open()
    await agent.waitForStatus('idle')
    await agent.waitToSee(/done \d+:/)
    await agent.recorded('Ended unseen.')
    await real.world.up()
    expect(await real.world.queue()).toMatchObject([
      { session: agent.session, reason: 'stopped', ask: { text: 'Ended unseen.' } },
    ])
    expect(await real.itemOf(agent)).toMatchObject({ pane: agent.pane })
  })

  test('a permission that is asked for is in its first answer', async ({ agent, real }) => {
    const gate = createGate()
    await agent.prompt('Ask unseen', holdBack(bash('touch unseen'), gate))
    await agent.waitForStatus('busy')
    await real.world.trailboss('down')
    gate.open()
    await agent.waitForDialog()
    await agent.waitForStatus('waiting')
    await agent.recorded('touch unseen')
    await real.world.up()
    const [item] = await real.world.queue()
    expect(item).toMatchObject({
      session: agent.session,
      reason: 'permission',
      pane: agent.pane,
      ask: { tool: 'Bash' },
    })
    expect(item?.ask.text).toContain('touch unseen')
  })

  test('a permission that is granted is not in its first answer', async ({ agent, real }) => {
    await agent.prompt('Approve unseen', bash(LONG_COMMAND), say('Approved unseen.'))
    await real.listed(agent, ({ reason }) => reason === 'permission')
    await agent.waitForStatus('waiting')
    await real.world.trailboss('down')
    await agent.approve()
    await agent.waitForStatus('busy')
    await real.world.up()
    expect(await real.world.queue()).toEqual([])
    await real.staysGone(agent, () => hasBegun(agent))
    endCommand(agent)
    await real.listed(agent, ({ ask }) => ask.text === 'Approved unseen.')
  })

  test('a permission that is refused is a stop in its first answer', async ({ agent, real }) => {
    await agent.prompt('Refuse unseen', bash('touch refused'))
    await real.listed(agent, ({ reason }) => reason === 'permission')
    await agent.waitForStatus('waiting')
    await real.world.trailboss('down')
    await agent.deny()
    await agent.waitForStatus('idle')
    await real.world.up()
    expect(await real.world.queue()).toMatchObject([
      { session: agent.session, reason: 'stopped', pane: agent.pane },
    ])
  })

  test('a turn that is interrupted is in its first answer', async ({ agent, real }) => {
    const gate = createGate()
    await agent.prompt('Interrupt unseen', say('There was once a', { midway: gate }))
    await agent.waitToSee(/^●/m)
    await real.world.trailboss('down')
    await agent.escape()
    await agent.waitForStatus('idle')
    await real.world.up()
    expect(await real.world.queue()).toMatchObject([
      { session: agent.session, reason: 'stopped', pane: agent.pane },
    ])
  })

  test('a prompt that is given and a session that ends take both off the queue', async ({
    agent,
    real,
  }) => {
    const other = await real.start()
    for (const one of [agent, other]) {
      await one.prompt(`Stop as ${one.name}`, say('Stopped.'))
      await real.listed(one)
    }
    await real.world.trailboss('down')
    const gate = createGate()
    await agent.prompt('Go on unseen', say('Went on.', { before: gate }))
    await agent.waitForStatus('busy')
    await other.exit()
    await real.world.up()
    expect(await real.world.queue()).toEqual([])
    expect(await real.stateOf(agent.session)).toBe('working')
    gate.open()
    await real.listed(agent, ({ ask }) => ask.text === 'Went on.')
  })

  test('sessions that began are all there and right, with their panes', async ({ agent, real }) => {
    await real.world.trailboss('down')
    const gate = createGate()
    const [done, blocked, asking, busy] = await Promise.all(
      ['done', 'blocked', 'asking', 'busy'].map((name) => real.start(name)),
    )
    await done!.prompt('Finish first', say('Finished first.'))
    await done!.waitToSee(/done \d+:/)
    await done!.recorded('Finished first.')
    await blocked!.prompt('Block second', bash('touch second'))
    await blocked!.waitForStatus('waiting')
    await asking!.prompt('Ask third', askUser('Third?', ['Yes', 'No']))
    await asking!.waitForStatus('waiting')
    await asking!.recorded('Third?')
    await busy!.prompt('Work on', say('Never.', { before: gate }))
    await busy!.waitForStatus('busy')

    await real.world.up()
    const items = await real.world.queue()
    expect(items).toMatchObject([
      { session: done!.session, pane: done!.pane, ask: { text: 'Finished first.' } },
      { session: blocked!.session, pane: blocked!.pane, reason: 'permission' },
      { session: asking!.session, pane: asking!.pane, reason: 'permission' },
    ])
    expect(items[1]?.ask.text).toContain('touch second')
    expect(items[2]?.ask.text).toContain('Third?')
    expect(await real.stateOf(busy!.session)).toBe('working')
    expect(await real.stateOf(agent.session)).toBe('unknown')
  })
})
