import { expect } from 'vitest'
import type { QueueItem } from '../../../../src/contract/responses.ts'
import { actUntil, waitFor } from '../../../support/wait-for.ts'
import { claudeIn, moveToBackground, returnTo } from '../claude-command.ts'
import { askUser, bash, createGate, type Reply, say } from '../model/reply.ts'
import type { RealWorld } from '../real-world.ts'
import type { realTest } from './real-test.ts'

/** What `claude agents` says of a session in the background. */
type Job = { id: string; sessionId: string; status: string; waitingFor?: string }

/** Sessions of Claude Code in the background: the same with hooks and without. */
export function backgroundTests(test: ReturnType<typeof realTest>): void {
  test('are one queue with those in panes, and each is opened, answered and left by keys', async ({
    real,
  }) => {
    await using background = claudeIn(real)
    const { claude } = background
    const { world } = real
    const { operator } = world
    const windowsBefore = await windowsOf(real)
    const inBackground = (prompt: string, ...replies: Reply[]): string => {
      real.model.plan(prompt, ...replies)
      const id = /backgrounded · (\w+)/.exec(claude('--bg', '--permission-mode', 'manual', prompt))
      return id![1]!
    }
    const jobs = () => JSON.parse(claude('agents', '--json')) as Job[]
    const listed = (fits: (items: QueueItem[]) => boolean, what: string) =>
      // The next key uses tmux's own copy of the queue.
      world.waitForQueue(what, fits)
    const nth = (count: number) =>
      listed((items) => items.length === count, `${count} to be listed`)
    const onScreen = async (pattern: RegExp) => operator.waitToSee(pattern)

    const asks = inBackground('Ask me first', bash('touch asked'), say('Asked and done.'))
    await nth(1)
    const first = await real.start('pane-1')
    await first.prompt('Say one', say('One.'))
    await nth(2)
    const finished = inBackground('Say two', say('Two.'))
    await nth(3)
    const wonders = inBackground(
      'Wonder',
      askUser('Which way?', ['left', 'right']),
      say('So be it.'),
    )
    await nth(4)
    const second = await real.start('pane-2')
    await second.prompt('Ask me, too', bash('touch too'), say('Done, too.'))
    const items = await nth(5)

    expect(items.map(({ session }) => session.slice(0, 8))).toEqual([
      asks,
      first.session.slice(0, 8),
      finished,
      wonders,
      second.session.slice(0, 8),
    ])
    expect(items.map(({ label }) => label)).toEqual([
      ...['permission', 'finished', 'finished', 'asks', 'permission'],
    ])
    expect(items[0]?.ask.tool).toBe('Bash')
    expect(items[0]?.ask.text).toContain('touch asked')
    expect(items[2]?.ask.text).toBe('Two.')
    expect(items[3]?.ask.text).toContain('Which way?')
    expect(jobs().map(({ id, status }) => [id, status])).toEqual(
      expect.arrayContaining([
        [asks, 'waiting'],
        [finished, 'idle'],
        [wonders, 'waiting'],
      ]),
    )

    // The permission: opened, approved, left with Ctrl-Z.
    await operator.press('C-b', 'Tab')
    await onScreen(/Do you want to proceed\?[\s\S]*❯ 1\. Yes/)
    await isShown(real, asks)
    const approved = () => jobs().find(({ id }) => id === asks)?.status !== 'waiting'
    await actUntil(() => operator.press('Enter'), approved, { what: 'the approval to be taken' })
    await listed(([head]) => head?.session === first.session, 'the next one to be the head')
    await onScreen(/Asked and done\./)
    await leave(real)
    // The pane: gone to, and given something else to do that takes long.
    await operator.press('C-b', 'Tab')
    await operator.waitToBeOn(first.pane)
    const gate = createGate()
    await first.prompt('Take long', say('Took long.', { before: gate }))
    await listed(([head]) => head?.session.startsWith(finished) ?? false, 'the finished one next')

    // The finished one: opened, prompted again, left while it works.
    await operator.press('C-b', 'Tab')
    await onScreen(/● Two\./)
    await isShown(real, finished)
    real.model.plan('Go on', say('Gone on.', { before: gate }))
    await operator.type('Go on')
    await onScreen(/❯\sGo on/)
    await operator.press('Enter')
    await listed(([head]) => head?.session.startsWith(wonders) ?? false, 'the question next')
    expect(jobs().find(({ id }) => id === finished)?.status).toBe('busy')
    await leave(real)

    // The question: opened and answered.
    await operator.press('C-b', 'Tab')
    await onScreen(/Which way\?[\s\S]*left/)
    await isShown(real, wonders)
    const answered = () => jobs().find(({ id }) => id === wonders)?.status !== 'waiting'
    await actUntil(() => operator.press('Enter'), answered, { what: 'the answer to be taken' })
    await listed(([head]) => head?.session === second.session, 'the pane last')
    await onScreen(/So be it\./)
    await leave(real)
    gate.open()

    expect((await windowsOf(real)).filter((name) => !name.startsWith('pane-'))).toEqual(
      windowsBefore,
    )
    // One that ends takes its item and its window along.
    await listed((all) => all.some(({ session }) => session.startsWith(finished)), 'it to be back')
    const sessionOf = (await world.queue()).find(({ session }) => session.startsWith(finished))!
    claude('stop', finished)
    await listed(
      (all) => all.every(({ session }) => session !== sessionOf.session),
      'it to be gone',
    )
  })
}

/** A session that its operator moves to the background with one key. Claude Code does not survive its daemon's end well. */
export function parkedTests(test: ReturnType<typeof realTest>): void {
  test('a session that was moved to the background is its pane’s, whatever it does there', async ({
    real,
    agent,
  }) => {
    await using _background = claudeIn(real)
    const { world } = real
    await agent.prompt('Say seven', say('Seven.'))
    await real.listed(agent)
    const before = agent.session
    const own = async () =>
      (await world.queue()).filter(
        ({ pane, cwd }) => pane?.id === agent.pane.id || cwd === agent.cwd,
      )
    await moveToBackground(agent)
    const isMoved = (items: QueueItem[]) =>
      items.length === 1 && items[0]!.session !== before && items[0]!.pane?.id === agent.pane.id
    const [moved] = await waitFor(own, { what: 'one item, in its pane', until: isMoved })
    expect(moved?.ask.text).toBe('Seven.')

    // Back in it, and at work: it is not listed. Then it asks, and is listed once.
    await returnTo(agent)
    await agent.waitToSee(/● Seven\./)
    const gate = createGate()
    real.model.plan('Ask again', bash('touch again', { timeout: 1 }), say('Done.'))
    real.model.plan('Wait a while', say('Waited.', { before: gate }))
    await agent.submit('Wait a while')
    await gate.reached
    await waitFor(own, { what: 'it to be off the queue', until: (items) => items.length === 0 })
    gate.open()
    await waitFor(own, {
      what: 'it to be listed once, finished',
      until: (items) => items.length === 1 && items[0]!.ask.text === 'Waited.',
    })
    await agent.submit('Ask again')
    const asked = await waitFor(own, {
      what: 'it to be listed once, with its question',
      // What it asks may come later than that it asks.
      until: (items) => items.length === 1 && items[0]!.ask.tool === 'Bash',
    })
    expect(asked).toMatchObject([{ pane: { id: agent.pane.id }, reason: 'permission' }])
    const sessions = (await world.sessions()).filter(
      ({ state, cwd }) => state !== 'ended' && cwd === agent.cwd,
    )
    expect(sessions.map(({ session }) => session)).toEqual([asked[0]!.session])
  })
}

async function windowsOf({ world }: RealWorld): Promise<string[]> {
  return (await world.tmux.run('list-windows', '-a', '-F', '#{window_name}')).split('\n')
}

/** The operator looks at the window that was opened for this job, and the queue says so. */
async function isShown({ world }: RealWorld, job: string): Promise<void> {
  const { id } = (await world.operator.pane())!
  await waitFor(() => world.queue(), {
    what: `job ${job} to be the head, in the pane that shows it`,
    until: ([head]) => head?.session.startsWith(job) === true && head.pane?.id === id,
  })
}

/** Ctrl-Z gives the session back to the background, and its window closes. A second one would reach another pane. */
async function leave(real: RealWorld): Promise<void> {
  await real.world.operator.press('C-z')
  await waitFor(() => windowsOf(real), {
    what: 'the window to be closed',
    until: (names) => !names.includes('unseen'),
    timeoutMs: 60_000,
  })
}
