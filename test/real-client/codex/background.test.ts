import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { QueueItem } from '../../../src/contract/responses.ts'
import type { World } from '../../support/create-world.ts'
import { actUntil, waitFor } from '../../support/wait-for.ts'
import type { CodexAgent } from '../support/agents/codex-agent.ts'
import { escalated } from '../support/model/codex-replies.ts'
import { createGate, say } from '../support/model/reply.ts'
import { hasToldItself } from '../support/program-world.ts'
import { codexTest } from '../support/tests/codex-test.ts'

const test = codexTest({ sharedDaemon: true })

test('a session that was left to the background asks, is opened by the key and answered there', async ({
  real,
}) => {
  const { world } = real
  const { operator } = world
  const gate = createGate()
  const left = await real.start()
  await left.prompt('Look at the herd', say('One moment.', { before: gate }))
  const { session } = await real.session(left, hasToldItself)
  real.model.plan('Look again', escalated('true'), say('Looked.'))
  await leaveRunning(left)
  gate.open()
  const finished = await listedAs(world, session, ({ ask }) => ask.text === 'One moment.')
  expect(finished).toMatchObject({ pane: null, reason: 'stopped' })
  expect(finished.open?.slice(-2)).toEqual(['resume', session])

  // Codex puts it away after a minute. Nobody has seen yet how it finished.
  await waitFor(() => isLoaded(world, session), {
    what: 'Codex to put the session away',
    until: (isThere) => !isThere,
    timeoutMs: 120_000,
  })
  expect(await listedAs(world, session)).toMatchObject({ pane: null })

  await world.waitForQueue('tmux to know it', ([head]) => head?.session === session)
  await operator.press('C-b', 'Tab')
  await operator.waitToSee(/• One moment\.[\s\S]*› Ask Codex/)
  await isShown(world, session)
  await operator.type('Look again')
  await operator.waitToSee(/› Look again/)
  await operator.press('Enter')
  await operator.waitToSee(/Would you like to run/)
  await listedAs(world, session, ({ reason }) => reason === 'permission')

  // Its window is closed while it asks, and opened again.
  await world.tmux.run('kill-pane', '-t', (await operator.pane())!.id)
  const asked = await listedAs(world, session, ({ pane }) => pane === null)
  expect(asked).toMatchObject({ reason: 'permission', ask: { text: 'true\nAs you asked' } })
  await world.waitForQueue('tmux to know it', ([head]) => head?.session === session)
  await operator.press('C-b', 'Tab')
  await operator.waitToSee(/Would you like to run/)
  await isShown(world, session)
  await actUntil(
    () => operator.press('Enter'),
    async () => /You approved/.test(await operator.screen()),
    { what: 'the approval to be taken' },
  )
  await operator.waitToSee(/• Looked\./)
  await listedAs(world, session, ({ ask }) => ask.text === 'Looked.')

  // Who leaves it finished has seen it.
  await operator.type('/quit')
  await operator.waitToSee(/› \/quit/)
  await operator.press('Enter')
  await waitFor(() => world.queue(), {
    what: 'it to be off the queue',
    until: (items) => items.every((item) => item.session !== session),
  })
})

test('a session whose task is stopped when its terminal exits does not stay', async ({ real }) => {
  const gate = createGate()
  const agent = await real.start()
  await agent.prompt('Never mind', say('Not needed.', { before: gate }))
  const { session } = await real.session(agent, hasToldItself)
  await agent.press('C-c')
  await agent.waitToSee(/Task is still running/)
  await agent.press('3')
  await waitFor(() => agent.isGone(), { what: 'it to be gone' })
  await waitFor(() => isLoaded(real.world, session), {
    what: 'Codex to put the session away',
    until: (isThere) => !isThere,
    timeoutMs: 120_000,
  })
  await waitFor(() => real.world.queue(), {
    what: 'it to be off the queue',
    until: (items) => items.every((item) => item.session !== session),
  })
  gate.open()
})

/** As its human does who wants it to go on. */
async function leaveRunning(agent: CodexAgent): Promise<void> {
  await agent.press('C-c')
  await agent.waitToSee(/Task is still running/)
  await agent.press('2')
  await waitFor(() => agent.isGone(), { what: `${agent.name} to be gone` })
}

async function listedAs(
  world: World,
  session: string,
  fits: (item: QueueItem) => boolean = () => true,
): Promise<QueueItem> {
  const find = async () => (await world.queue()).find((item) => item.session === session)
  const item = await waitFor(find, {
    what: `session ${session} to be listed as expected`,
    until: (seen) => seen !== undefined && fits(seen),
  })
  return item!
}

/** The operator looks at the pane that shows it, and nothing else is listed for that pane. */
async function isShown(world: World, session: string): Promise<void> {
  const { id } = (await world.operator.pane())!
  await waitFor(async () => (await world.queue()).filter(({ pane }) => pane?.id === id), {
    what: `session ${session} to be the one in pane ${id}`,
    until: ([item, ...others]) => item?.session === session && others.length === 0,
  })
}

function isLoaded({ home }: World, session: string): boolean {
  return existsSync(join(home, '.codex', 'thread-writer-locks', `${session}.lock`))
}
