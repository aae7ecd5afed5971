import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { PaneRef } from '../../src/core/pane.ts'
import { actUntil, waitFor } from '../support/wait-for.ts'
import type { RealAgent } from './support/agents/claude-agent.ts'
import { dialogIn } from './support/agents/screen.ts'
import { endCommand, hasBegun, LONG_COMMAND } from './support/long-command.ts'
import { apiError, bash, createGate, say } from './support/model/reply.ts'
import type { RealWorld } from './support/real-world.ts'
import { realTest } from './support/tests/real-test.ts'

/** Longer than anything that AS-5 does meanwhile takes, on a busy machine too. */
const COOLDOWN_MS = 20_000

const test = realTest({ config: { skipCooldownMs: COOLDOWN_MS } })
const testWithoutHooks = realTest({ hooks: false })

describe('the acceptance scenarios, with the real Claude Code', () => {
  test('AS-1: a permission is listed with its command, Next lands on it, and approving empties the queue', async ({
    agent,
    real,
  }) => {
    await agent.prompt('Ship it', bash(LONG_COMMAND), say('Shipped.'))
    const item = await real.listed(agent, ({ ask }) => ask.text.includes(LONG_COMMAND))
    expect(item).toMatchObject({ reason: 'permission', ready: true, pane: agent.pane })
    expect((await real.world.trailboss('list')).stdout).toContain('touch begun')

    await pressNext(real, agent)
    await answerDialog(real, agent, 'Enter')
    await real.world.waitForQueue('the queue to be empty', (q) => q.length === 0)
    await real.staysGone(agent, () => hasBegun(agent))
    endCommand(agent)
    await real.listed(agent, ({ ask }) => ask.text === 'Shipped.')
  })

  test('AS-2: the oldest is the head, whatever it waits for, and resolving it makes the next one the head', async ({
    real,
  }) => {
    const [a, b, c] = await startAll(real, 'a', 'b', 'c')
    await a.prompt('A stops', say('A is done.'))
    await real.listed(a)
    await b.prompt('B asks', bash('touch b'))
    await real.listed(b)
    await c.prompt('C fails', apiError(400))
    await real.listed(c)
    expect(await order(real)).toEqual([a.session, b.session, c.session])
    expect((await real.world.http('/next')).text.trim()).toBe(a.pane.id)

    await pressNext(real, a)
    await answerPrompt(real, a, 'Go on, A', 'A is done again.')
    await real.listed(a, ({ ask }) => ask.text === 'A is done again.')
    expect(await order(real)).toEqual([b.session, c.session, a.session])
    await pressNext(real, b)
  })

  testWithoutHooks(
    'AS-3: what is answered in its pane, not via Trail Boss, leaves the queue by itself',
    async ({ agent, real }) => {
      await agent.prompt('Stop here', say('What next?'))
      await real.listed(agent)
      await real.world.operator.lookAt(agent.pane)
      await answerPrompt(real, agent, 'Write the tests', 'Written.')
      expect(await real.world.operator.pane()).toEqual(agent.pane)
      await real.listed(agent, ({ ask }) => ask.text === 'Written.')
    },
  )

  test('AS-4: a stop whose hook was lost with the daemon down is in the queue when it is up again', async ({
    agent,
    real,
  }) => {
    const gate = createGate()
    await agent.prompt('Finish alone', say('Finished alone.', { before: gate }))
    await agent.waitForStatus('busy')
    await real.world.trailboss('down')
    gate.open()
    await agent.waitToSee(/done \d+:/)
    await agent.waitForStatus('idle')
    await agent.recorded('Finished alone.')
    rmSync(join(real.world.state, 'spool'), { recursive: true, force: true })
    await real.world.up()
    expect(await real.world.queue()).toMatchObject([
      { session: agent.session, pane: agent.pane, ask: { text: 'Finished alone.' } },
    ])
    await pressNext(real, agent)
  })

  test('AS-5: a skipped item goes to the tail and cools down, and is ready again when it asks anew', async ({
    real,
  }) => {
    const { operator } = real.world
    const [a, b] = await startAll(real, 'a', 'b')
    await a.prompt('A stops first', say('A first.'))
    await real.listed(a)
    await b.prompt('B stops second', say('B second.'))
    await real.listed(b)
    await pressNext(real, a)
    await operator.press('C-b', 'S')
    await operator.waitToBeOn(b.pane)
    expect(await readiness(real)).toEqual([
      [b.session, true],
      [a.session, false],
    ])

    const gate = createGate()
    real.model.plan('Go on, B', say('B again.', { before: gate }))
    await operator.type('Go on, B')
    await b.waitToSee(/Go on, B/)
    await operator.press('Enter')
    await real.gone(b)
    await real.world.waitForQueue('A alone to be listed', (q) => q.length === 1)
    expect((await real.world.http('/next')).text.trim()).toBe('')
    await seesThatAllCool(real)
    expect(await operator.pane()).toEqual(b.pane)
    await waitFor(() => real.itemOf(a), {
      what: 'A to have cooled down',
      until: (item) => item?.ready === true,
      timeoutMs: 2 * COOLDOWN_MS,
    })
    await pressNext(real, a)

    await operator.press('C-b', 'S')
    await real.listed(a, ({ ready }) => !ready)
    await a.prompt('Ask something new', bash('touch new'))
    await real.listed(a, ({ ready, reason }) => ready && reason === 'permission')
    gate.open()
  })

  test('AS-6: nothing but a key moves the operator, whoever resolves, asks or ends', async ({
    real,
  }) => {
    const { operator } = real.world
    const [head, next, mine] = await startAll(real, 'head', 'next', 'mine')
    await head.prompt('Head stops', say('Done.'))
    await real.listed(head)
    await next.prompt('Next stops', say('Done too.'))
    await real.listed(next)
    await operator.lookAt(mine.pane)
    const shown: (PaneRef | null)[] = []
    const typeWhile = async (text: string, happens: () => Promise<unknown>) => {
      await operator.type(text)
      const event = happens()
      let over = false
      event.finally(() => {
        over = true
      })
      await waitFor(
        async () => {
          shown.push(await operator.pane())
          return over
        },
        { what: `the operator to have typed "${text}"`, timeoutMs: 60_000 },
      )
      await event
    }
    await typeWhile('one resolves, ', async () => {
      await head.prompt('Go and ask', bash('touch head'))
      await real.listed(head, ({ reason }) => reason === 'permission')
    })
    await typeWhile('one ends', async () => {
      await next.exit()
      await real.gone(next)
    })
    expect(new Set(shown.map((pane) => pane?.id))).toEqual(new Set([mine.pane.id]))
    await mine.waitToSee(/❯\sone resolves, one ends/)
    expect(await head.screen()).not.toContain('one resolves')
    await pressNext(real, head)
  })

  test('AS-7: a pane that a new session has taken over belongs to that one', async ({
    agent,
    real,
  }) => {
    await agent.prompt('Stop and leave', say('Bye.'))
    await real.listed(agent)
    await agent.exit()
    await real.gone(agent)
    const fresh = await real.start('fresh', { inPane: agent.pane })
    await fresh.prompt('Start afresh', say('Hello.'))
    await real.listed(fresh)
    expect(await real.world.queue()).toMatchObject([{ session: fresh.session, pane: agent.pane }])
    expect(await real.stateOf(agent.session)).toBe('ended')
    await pressNext(real, fresh)
  })
})

/** The key goes by what tmux knows of the queue, which is a moment later than the queue. */
async function pressNext({ world }: RealWorld, expected: RealAgent): Promise<void> {
  await world.waitForQueue(`${expected.name} to be the head`, ([head]) => {
    return head?.ready === true && head.session === expected.session
  })
  await world.operator.press('C-b', 'Tab')
  await world.operator.waitToBeOn(expected.pane)
}

/** The message is there for a second and a half: who was not looking presses the key again. */
async function seesThatAllCool({ world: { operator } }: RealWorld): Promise<void> {
  await actUntil(
    () => operator.press('C-b', 'Tab'),
    async () => /nothing else waits/.test(await operator.screen()),
    { what: 'the operator to be told that all cool down', againMs: 3_000 },
  )
}

/** The operator's own key; a dialog takes none in its first 200 ms. */
async function answerDialog({ world }: RealWorld, agent: RealAgent, key: string): Promise<void> {
  // It may be listed before its dialog is drawn.
  await agent.waitForDialog()
  await actUntil(
    () => world.operator.press(key),
    async () => !dialogIn(await agent.screen()),
    { what: `the dialog of ${agent.name} to be answered` },
  )
}

/** The operator types it where they are; the queue has to notice that it is work. */
async function answerPrompt(real: RealWorld, agent: RealAgent, prompt: string, reply: string) {
  const gate = createGate()
  real.model.plan(prompt, say(reply, { before: gate }))
  await real.world.operator.type(prompt)
  await agent.waitToSee(new RegExp(`❯\\s${prompt}`))
  await real.world.operator.press('Enter')
  await real.gone(agent)
  await real.staysGone(agent, () => agent.statusFile()?.status === 'busy')
  gate.open()
}

function startAll<Names extends string[]>(real: RealWorld, ...names: Names) {
  const started = Promise.all(names.map((name) => real.start(name)))
  return started as unknown as Promise<{ [Name in keyof Names]: RealAgent }>
}

async function order({ world }: RealWorld): Promise<string[]> {
  return (await world.queue()).map(({ session }) => session)
}

async function readiness({ world }: RealWorld): Promise<[string, boolean][]> {
  return (await world.queue()).map(({ session, ready }) => [session, ready])
}
