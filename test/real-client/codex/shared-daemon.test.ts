import { expect } from 'vitest'
import type { SessionView } from '../../../src/contract/responses.ts'
import type { World } from '../../support/create-world.ts'
import { waitFor } from '../../support/wait-for.ts'
import type { CodexAgent } from '../support/agents/codex-agent.ts'
import { escalated } from '../support/model/codex-replies.ts'
import { createGate, say } from '../support/model/reply.ts'
import { codexTest } from '../support/tests/codex-test.ts'

const test = codexTest({ sharedDaemon: true })

test('each session of the shared daemon is in the pane that shows it, though all hooks name one', async ({
  real,
}) => {
  const first = await real.start()
  const second = await real.start({ cwd: first.cwd })
  await second.prompt('Count the cattle', escalated('true'), say('Counted.'))
  await first.prompt('Mend the fence', say('Mended.'))
  const stopped = await real.listed(first, ({ ask }) => ask.text === 'Mended.')
  const asked = await real.asks(second, 'true\nAs you asked')
  expect(asked.session).not.toBe(stopped.session)
  expect(await panesOf(real, [stopped.session, asked.session])).toEqual([
    first.pane.id,
    second.pane.id,
  ])

  await second.approve()
  await real.listed(second, ({ ask }) => ask.text === 'Counted.')
  await leave(first)
  await second.exit()
})

test('a session that goes on without its pane has none, and is not taken for the one that is shown', async ({
  real,
}) => {
  const gate = createGate()
  const left = await real.start()
  await left.prompt('Ride alone', say('Rode alone.', { before: gate }))
  const { session } = await real.session(left, isTold)
  await leave(left)
  const other = await real.start({ inPane: left.pane, cwd: left.cwd })
  await other.prompt('Rest here', say('Rested.'))
  await real.listed(other, ({ ask }) => ask.text === 'Rested.')
  gate.open()
  const item = await waitFor(
    async () => (await real.world.queue()).find((one) => one.session === session),
    {
      what: 'the session without a pane to be listed',
      until: (one) => one?.pane === null && one.ask.text === 'Rode alone.',
    },
  )
  expect(item?.reason).toBe('stopped')
  const here = await real.listed(other)
  expect(here.ask.text).toBe('Rested.')
  await other.exit()
})

/** By itself, and not by its screen alone. */
function isTold({ session, state }: SessionView): boolean {
  return state === 'working' && !session.startsWith('pid-')
}

/** The terminal goes; what it has begun goes on. */
async function leave(agent: CodexAgent): Promise<void> {
  await agent.submit('/quit')
  await waitFor(() => agent.isGone(), { what: `${agent.name} to be gone` })
}

async function panesOf(
  { world }: { world: World },
  ids: string[],
): Promise<(string | undefined)[]> {
  const sessions = await world.sessions()
  return ids.map((id) => sessions.find(({ session }) => session === id)?.pane?.id)
}
