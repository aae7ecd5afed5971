import { expect } from 'vitest'
import type { TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'
import { bash, say } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest()

test('a tmux server that was killed and made anew with the same pane ids keeps nothing of the old sessions', async ({
  real,
}) => {
  const first = await real.world.secondServer()
  const old = await real.start('old', { server: first, inPane: await onlyPane(first) })
  await old.prompt('Ask in the old server', bash('touch old'))
  const asked = await real.listed(old, ({ reason }) => reason === 'permission')
  expect(asked.pane).toMatchObject({ socket: first.socket, id: '%0' })

  process.kill(first.pid, 'SIGKILL')
  await waitFor(() => !old.isAlive(), { what: 'the old agent to be gone with its terminal' })
  await real.gone(old, 3_000)
  const second = await real.world.secondServer()
  expect(second.pid).not.toBe(first.pid)
  const fresh = await real.start('fresh', { server: second, inPane: await onlyPane(second) })
  await fresh.waitForStatus('idle')
  await real.session(fresh, ({ state }) => state === 'unknown')
  expect(await real.world.queue()).toEqual([])
  await real.session(old, ({ state }) => state === 'ended')

  await fresh.prompt('Answer in the new server', say('Here I am.'))
  await real.listed(fresh)
  const [item] = await real.world.waitForQueue('it alone to be listed', (q) => q.length === 1)
  expect(item?.pane).toMatchObject({ socket: first.socket, id: '%0', server: second.pid })
  await real.world.operator.press('C-b', 'Tab')
  await real.world.operator.waitToBeOn({ socket: second.socket, id: '%0' })
})

async function onlyPane(server: TmuxServer) {
  return { socket: server.socket, id: await server.run('display-message', '-p', '#{pane_id}') }
}
