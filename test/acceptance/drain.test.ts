import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { DrainView } from '../../src/contract/responses.ts'
import type { Agent } from '../support/agent.ts'
import type { World } from '../support/create-world.ts'
import { type Operator, seatOperator } from '../support/operator.ts'
import { startTmuxServer, TMUX } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'
import { test as base } from '../support/world.ts'

const test = base.override({ worldOptions: { recordTmux: true } })

const MARK = /stuck ⇥|^.*-\d\d ⇥ *$/m

const drain = async (world: World, mode: 'on' | 'off', who: Operator = world.operator) =>
  world.json<DrainView>('drain', mode, '--client', await who.clientName())

const seconds = () => Math.floor(Date.now() / 1_000)

async function lastKey(world: World, who: Operator): Promise<number> {
  const rows = await world.tmux.run('list-clients', '-F', '#{client_name} #{client_activity}')
  const name = await who.clientName()
  return Number(
    rows
      .split('\n')
      .find((row) => row.startsWith(`${name} `))
      ?.split(' ')[1],
  )
}

/** How often the daemon has looked at clients that drain. */
const looks = (world: World) =>
  world.tmuxCalls().filter((call) => call.some((word) => word.includes('@trailboss_draining}')))
    .length

/** Presses Next, and lets the second of that key pass: in it, a key may be no answer. */
async function goTo(world: World, { pane }: Agent, who = world.operator): Promise<void> {
  await who.press('C-b', 'Tab')
  await who.waitToBeOn(pane)
  await hasSeenArrival(world)
  const pressed = await lastKey(world, who)
  await waitFor(() => seconds() > pressed, { what: 'the second of Next to be over' })
}

async function hasSeenArrival(world: World): Promise<void> {
  const before = looks(world)
  await waitFor(() => looks(world) >= before + 2, { what: 'the daemon to look' })
}

async function answer(world: World, agent: Agent, who = world.operator): Promise<void> {
  await who.type('go on')
  await who.press('Enter')
  await isResolved(world, agent)
}

async function isResolved(world: World, agent: Agent): Promise<void> {
  await world.waitForQueue(`${agent.name} to be resolved`, (items) =>
    items.every(({ session }) => session !== agent.session),
  )
}

/** The operator is still there after everything that could move them: a quiet second, and looks after that. */
async function staysOn(world: World, { pane }: Agent, who = world.operator): Promise<void> {
  const key = await lastKey(world, who)
  await waitFor(() => Date.now() > (key + 2) * 1_000, { what: 'a quiet second' })
  const before = looks(world)
  await waitFor(() => looks(world) >= before + 3, { what: 'the daemon to look at it' })
  expect(await who.pane()).toEqual(pane)
}

const TMUX_SESSIONS: Record<string, string> = { b: 'elsewhere', c: 'third' }

/** Agents that wait, in this order. */
async function waiting(world: World, ...names: string[]): Promise<Agent[]> {
  const agents: Agent[] = []
  for (const name of names) {
    const agent = await world.agent(name, { tmuxSession: TMUX_SESSIONS[name] ?? 'work' })
    await agent.stop(`${name} is done.`)
    await world.listed(agent)
    agents.push(agent)
  }
  await world.waitForQueue('all to be queued', (items) => items.length === names.length)
  return agents
}

/** Another human at another terminal. */
async function withSecond(
  world: World,
  session: string,
  work: (second: Operator, leave: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const attach = `unset TMUX TMUX_PANE; exec ${TMUX} -S ${world.tmux.socket} attach-session -t ${session}`
  const place = { socket: join(world.dir, 't9'), env: world.env, cwd: world.home }
  const terminal = await startTmuxServer({ ...place, session: 'terminal', shellCommand: attach })
  try {
    await terminal.run('set-option', '-g', 'status', 'off')
    await work(await seatOperator(terminal, () => [world.tmux]), () => terminal.stop())
  } finally {
    await terminal.stop()
  }
}

describe('drain', () => {
  test('takes the operator from each answered one to the next, until none is left; Back returns', async ({
    world,
  }) => {
    const [a, b, c] = (await waiting(world, 'a', 'b', 'c')) as [Agent, Agent, Agent]
    expect(looks(world)).toBeLessThanOrEqual(1)
    expect(await drain(world, 'on')).toMatchObject({ draining: true })
    await world.operator.waitToSee(MARK)
    await goTo(world, a)
    await answer(world, a)
    await world.operator.waitToBeOn(b.pane)
    await hasSeenArrival(world)
    await answer(world, b)
    await world.operator.waitToBeOn(c.pane)
    await world.operator.press('C-b', 'B')
    await world.operator.waitToBeOn(b.pane)
    await goTo(world, c)
    await answer(world, c)
    await staysOn(world, c)
    expect(a.keys() + b.keys() + c.keys()).toBe('go on\r'.repeat(3))
  })

  test('a permission that is answered counts, too', async ({ world }) => {
    const a = await world.agent('a')
    await a.askPermission({ command: 'make', runsForMs: 60_000 })
    await world.listed(a)
    const b = await world.agent('b')
    await b.stop('b is done.')
    await world.waitForQueue('both to be queued', (items) => items.length === 2)
    await drain(world, 'on')
    await goTo(world, a)
    await world.operator.press('y')
    await world.operator.waitToBeOn(b.pane)
    expect(b.keys()).toBe('')
  })

  test('is off unless somebody switches it on, and off again afterwards', async ({ world }) => {
    const [a, b] = (await waiting(world, 'a', 'b')) as [Agent, Agent]
    await drain(world, 'on')
    await world.operator.waitToSee(MARK)
    expect(await drain(world, 'off')).toMatchObject({ draining: false })
    await waitFor(world.operator.screen, {
      what: 'the mark to be gone',
      until: (screen) => !MARK.test(screen),
    })
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(a.pane)
    await answer(world, a)
    const key = await lastKey(world, world.operator)
    await waitFor(() => Date.now() > (key + 3) * 1_000, { what: 'a quiet second' })
    expect(await world.operator.pane()).toEqual(a.pane)
    expect(b.keys()).toBe('')
  })
})

describe('drain never moves the operator', () => {
  test('while they type, or after they typed on', async ({ world }) => {
    const [a, b] = (await waiting(world, 'a', 'b')) as [Agent, Agent]
    await drain(world, 'on')
    await goTo(world, a)
    await answer(world, a)
    const answered = await lastKey(world, world.operator)
    let typed = ''
    await waitFor(
      async () => {
        await world.operator.type('x')
        typed += 'x'
        expect(await world.operator.pane()).toEqual(a.pane)
        return seconds()
      },
      { what: 'a few seconds of typing', until: (now) => now > answered + 3 },
    )
    await staysOn(world, a)
    expect(a.keys()).toBe(`go on\r${typed}`)
    expect(b.keys()).toBe('')
  })

  test('from a pane that they wandered to, although they answered there', async ({ world }) => {
    const [a, b, c] = (await waiting(world, 'a', 'b', 'c')) as [Agent, Agent, Agent]
    await drain(world, 'on')
    await goTo(world, a)
    await world.operator.lookAt(c.pane)
    await answer(world, c)
    await staysOn(world, c)
    expect(b.keys()).toBe('')
  })

  test('from a pane that they left by hand and came back to, until the next Next', async ({
    world,
  }) => {
    const [a, b, c] = (await waiting(world, 'a', 'b', 'c')) as [Agent, Agent, Agent]
    await drain(world, 'on')
    await goTo(world, a)
    await world.operator.lookAt(c.pane)
    await hasSeenArrival(world)
    await world.operator.lookAt(a.pane)
    await answer(world, a)
    await staysOn(world, a)
    await goTo(world, b)
    await answer(world, b)
    await world.operator.waitToBeOn(c.pane)
  })

  test('from a pane that Back went to', async ({ world }) => {
    const [a, b, c] = (await waiting(world, 'a', 'b', 'c')) as [Agent, Agent, Agent]
    await drain(world, 'on')
    await goTo(world, a)
    await world.operator.lookAt(c.pane)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(a.pane)
    await world.operator.press('C-b', 'B')
    await world.operator.waitToBeOn(c.pane)
    await world.operator.press('C-b', 'B')
    await world.operator.waitToBeOn(a.pane)
    await hasSeenArrival(world)
    await answer(world, a)
    await staysOn(world, a)
    expect(b.keys()).toBe('')
  })

  test('because their agent went on while they were in the popup', async ({ world }) => {
    const [a, b] = (await waiting(world, 'a', 'b')) as [Agent, Agent]
    await drain(world, 'on')
    await goTo(world, a)
    await world.operator.openPopup()
    await world.operator.press('j')
    await a.prompt('answered by somebody else')
    await isResolved(world, a)
    await staysOn(world, a)
    await world.operator.closePopup()
    expect(b.keys()).toBe('')
  })

  test('because something resolved elsewhere, or in their pane without them', async ({ world }) => {
    const [a, b, c] = (await waiting(world, 'a', 'b', 'c')) as [Agent, Agent, Agent]
    await drain(world, 'on')
    await goTo(world, a)
    await world.operator.type('half of an ans')
    await c.prompt('answered by somebody else')
    await isResolved(world, c)
    await staysOn(world, a)
    const key = await lastKey(world, world.operator)
    await waitFor(() => seconds() > key + 6, { what: 'the last key to be long ago' })
    await a.prompt('answered by a hook')
    await isResolved(world, a)
    await staysOn(world, a)
    expect(b.keys()).toBe('')
  })

  test('because another client answered in their pane', async ({ world }) => {
    const [a, b] = (await waiting(world, 'a', 'b')) as [Agent, Agent]
    await withSecond(world, 'elsewhere', async (second) => {
      await drain(world, 'on')
      await second.lookAt(a.pane)
      await goTo(world, a)
      await world.operator.type('x')
      await answer(world, a, second)
      await staysOn(world, a)
      expect(await second.pane()).toEqual(a.pane)
      expect(b.keys()).toBe('')
    })
  })

  test('because the session ended', async ({ world }) => {
    const [a, b] = (await waiting(world, 'a', 'b')) as [Agent, Agent]
    await drain(world, 'on')
    await goTo(world, a)
    await world.operator.type('/exit')
    await a.kill9()
    await isResolved(world, a)
    await staysOn(world, a)
    expect(b.keys()).toBe('')
  })

  test('later, if nothing was ready when they had answered', async ({ world }) => {
    const [a] = (await waiting(world, 'a')) as [Agent]
    const b = await world.agent('b')
    await drain(world, 'on')
    await goTo(world, a)
    await answer(world, a)
    await staysOn(world, a)
    await b.stop('B is done.')
    await world.listed(b)
    await staysOn(world, a)
  })

  test('if another client drains, and not theirs; only that one shows it', async ({ world }) => {
    const [a, b, c] = (await waiting(world, 'a', 'b', 'c')) as [Agent, Agent, Agent]
    await withSecond(world, 'elsewhere', async (second) => {
      await drain(world, 'on', second)
      await second.waitToSee(MARK)
      expect(await world.operator.screen()).not.toMatch(MARK)
      await goTo(world, a)
      await answer(world, a)
      await staysOn(world, a)
      await goTo(world, b, second)
      await answer(world, b, second)
      await second.waitToBeOn(c.pane)
      expect(await world.operator.pane()).toEqual(a.pane)
    })
  })
})

describe('drain moves nobody else along', () => {
  test('who is attached to the same tmux session', async ({ world }) => {
    const [a, d] = (await waiting(world, 'a', 'd')) as [Agent, Agent]
    await withSecond(world, 'work', async (second) => {
      await drain(world, 'on')
      await goTo(world, a)
      await answer(world, a)
      await staysOn(world, a)
      expect(await second.pane()).toEqual(a.pane)
      expect(d.keys()).toBe('')
    })
  })
})

describe('the mode of a client', () => {
  const draining = (world: World) => world.tmux.run('show-options', '-gqv', '@trailboss_draining')

  test('ends with the client, and then nothing looks any more', async ({ world }) => {
    await withSecond(world, 'work', async (second, leave) => {
      await drain(world, 'on', second)
      expect(await draining(world)).toMatch(/^ \d+ $/)
      await leave()
      await waitFor(() => draining(world), {
        what: 'the client to be forgotten',
        until: (pids) => pids === '',
      })
    })
    const before = looks(world)
    const other = await world.agent('other')
    await other.stop('Done.')
    await world.listed(other)
    expect(looks(world)).toBe(before)
  })

  test('survives a daemon that is killed, and goes on with the next Next', async ({ world }) => {
    const [a, b, c] = (await waiting(world, 'a', 'b', 'c')) as [Agent, Agent, Agent]
    await drain(world, 'on')
    await goTo(world, a)
    await world.killDaemon9()
    await world.up()
    await world.operator.waitToSee(MARK)
    await world.waitForQueue('all to be queued again', (items) => items.length === 3)
    await answer(world, a)
    await staysOn(world, a)
    await goTo(world, b)
    await answer(world, b)
    await world.operator.waitToBeOn(c.pane)
  })

  test('is switched by a key that the operator chose, which says what it did', async ({
    world,
  }) => {
    const install = ['install', 'tmux', '--yes', '--key-drain', 'R']
    expect(await world.trailboss(...install)).toMatchObject({ code: 0 })
    await world.operator.pressToBeTold(/drain is on/, 'C-b', 'R')
    await world.operator.waitToSee(MARK)
    await world.operator.pressToBeTold(/drain is off/, 'C-b', 'R')
    expect(await draining(world)).toBe('')
  })

  test('bad requests change nothing', async ({ world }) => {
    expect(await world.trailboss('drain', 'maybe')).toMatchObject({ code: 2 })
    for (const name of ['/dev/pts/99999', 'nope']) {
      const unknown = await world.trailboss('drain', 'on', '--client', name)
      expect(unknown).toMatchObject({ code: 6, stdout: '' })
      expect(unknown.stderr).toContain(`No tmux client "${name}" is attached.`)
    }
    const body = { socket: world.tmux.socket, client: "x'; kill-server" }
    const refused = await world.http('/drain', { method: 'POST', body: JSON.stringify(body) })
    expect(refused.status).toBe(400)
    expect(await draining(world)).toBe('')
  })
})
