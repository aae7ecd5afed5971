import { describe, expect } from 'vitest'
import type { MonitorView } from '../../../src/contract/responses.ts'
import type { World } from '../../support/create-world.ts'
import { waitFor } from '../../support/wait-for.ts'
import type { GeminiAgent } from '../support/agents/gemini-agent.ts'
import { shell } from '../support/model/gemini-replies.ts'
import { say } from '../support/model/reply.ts'
import { hasToldItself } from '../support/program-world.ts'
import { geminiTest } from '../support/tests/gemini-test.ts'

const PATIENT_MS = 60_000

const unwired = geminiTest({ hooks: false })
const wired = geminiTest()

/** Until its screen, as it is drawn by now, was looked at twice. */
async function lookedAtAgain(world: World, { pane }: GeminiAgent): Promise<void> {
  let before = Date.now()
  for (let looks = 0; looks < 2; looks++) {
    before = await waitFor(
      async () => {
        const { panes } = JSON.parse((await world.http('/monitor')).text) as MonitorView
        return panes.find((one) => one.pane.id === pane.id)?.lookedAt ?? 0
      },
      { what: 'another look', until: (at) => at > before, timeoutMs: PATIENT_MS },
    )
  }
}

const itemsIn = async (world: World, { pane }: GeminiAgent) =>
  (await world.queue()).filter((item) => item.pane?.id === pane.id)

describe('Gemini CLI that knows nothing of Trail Boss', () => {
  unwired('is listed without true colours', async ({ real }) => {
    const env = { TERM: 'screen-256color', FORCE_COLOR: '2' }
    await using agent = await real.start({ env, waitsForComposer: false })
    await agent.waitToSee(/Type your message/)
    await agent.waitForTitle(/^◇ /)
    await agent.prompt('Say hello', say('Hello, operator.'))
    await real.listed(agent, ({ ask }) => ask.text.includes('Hello, operator.'))
  })

  unwired('stays listed when its pane gets another size', async ({ agent, real }) => {
    const { world } = real
    const { id } = agent.pane
    await agent.prompt('Say it', say('Said.'))
    await real.listed(agent, ({ ask }) => ask.text.includes('Said.'))
    await world.tmux.run('new-window', '-d', '-t', '=work:', '-n', 'other', 'exec sh')
    await world.tmux.run('join-pane', '-d', '-l', '12', '-s', id, '-t', '=work:other')
    await lookedAtAgain(world, agent)
    expect(await itemsIn(world, agent)).toMatchObject([{ reason: 'stopped' }])
    await world.tmux.run('break-pane', '-d', '-s', id)
    await lookedAtAgain(world, agent)
    expect(await itemsIn(world, agent)).toMatchObject([{ reason: 'stopped' }])

    await agent.prompt('Run it', shell('touch fed'), say('Never said.'))
    await real.listed(agent, ({ reason }) => reason === 'permission')
    await world.tmux.run('join-pane', '-d', '-h', '-l', '50', '-s', id, '-t', '=work:other')
    await lookedAtAgain(world, agent)
    expect(await itemsIn(world, agent)).toMatchObject([{ reason: 'permission' }])
  })
})

describe('Gemini CLI with its hooks', () => {
  wired('is listed once when its session is resumed in another pane', async ({ agent, real }) => {
    const { world } = real
    await agent.prompt('Say hello', say('Hello, operator.'))
    const { session } = await real.listed(agent, hasToldItself)
    const args = ['--resume', session]
    await using again = await real.start({ args, cwd: agent.cwd })
    await again.prompt('Say more', say('More.'))
    await real.listed(again, (item) => item.session === session && item.ask.text === 'More.')
    await world.tmux.run('resize-window', '-t', agent.pane.id, '-x', '90', '-y', '30')
    await lookedAtAgain(world, agent)
    expect(await itemsIn(world, agent)).toEqual([])
  })
})
