import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { waitFor } from '../../support/wait-for.ts'
import { codexEnv } from '../support/agents/codex-agent.ts'
import { createGate, say } from '../support/model/reply.ts'
import { hasToldItself } from '../support/program-world.ts'
import { codexTest } from '../support/tests/codex-test.ts'

const test = codexTest()

test('the question whether to trust a folder is listed before there is a session', async ({
  real,
}) => {
  const cwd = join(real.world.dir, 'unknown')
  mkdirSync(cwd)
  execFileSync('git', ['init', '-q'], { cwd })
  const agent = await real.start({ cwd, waitsForComposer: false })
  await agent.waitForDialog()
  const item = await real.listed(agent, ({ ask }) => ask.text.includes('Trust this folder?'))
  expect(item.reason).toBe('permission')
  await agent.approve()
  await agent.waitForComposer()
  await real.gone(agent)
})

test('one that was never given a prompt waits for nothing', async ({ agent, real }) => {
  await agent.prompt('Begin now', say('Begun.'))
  const other = await real.start()
  await real.listed(agent, ({ ask }) => ask.text === 'Begun.')
  expect((await real.world.queue()).map(({ pane }) => pane?.id)).not.toContain(other.pane.id)
})

test('codex exec in the pane of a session that waits changes nothing of it, and is not listed', async ({
  agent,
  real,
}) => {
  await agent.prompt('Wait for me', say('Waiting.'))
  const { session } = await real.listed(agent, (item) => {
    return item.ask.text === 'Waiting.' && hasToldItself(item)
  })
  const gate = createGate()
  real.model.plan('Work unseen', say('Worked unseen.', { before: gate }))
  const { world, places } = real
  const run = spawn(places.binary, ['exec', '--skip-git-repo-check', 'Work unseen'], {
    cwd: agent.cwd,
    env: {
      ...codexEnv(places),
      TMUX: `${agent.pane.socket},${world.tmux.pid},0`,
      TMUX_PANE: agent.pane.id,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise((resolve) => run.on('close', resolve))
  await gate.reached
  const queue = async () => (await world.queue()).map((item) => item.session)
  expect(await queue()).toContain(session)
  gate.open()
  expect(await ended).toBe(0)
  const item = await real.listed(agent)
  expect(item.session).toBe(session)
  // A hook that a busy daemon did not answer in time is told of a moment later.
  const headless = await waitFor(
    async () => (await world.sessions()).filter((one) => one.headless),
    { what: 'the headless session to be known', until: (known) => known.length > 0 },
  )
  expect(headless).toHaveLength(1)
  expect(await queue()).not.toContain(headless[0]?.session)
})
