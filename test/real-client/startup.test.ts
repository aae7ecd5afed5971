import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { QueueItem } from '../../src/contract/responses.ts'
import type { RealAgent } from './support/agents/claude-agent.ts'
import { writeClaudeHome } from './support/agents/claude-home.ts'
import { say } from './support/model/reply.ts'
import type { RealWorld } from './support/real-world.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest({ hooks: false })

const inPaneOf = (agent: RealAgent) => (item: QueueItem) => item.pane?.id === agent.pane.id

async function listedInPane(real: RealWorld, agent: RealAgent, asks: RegExp): Promise<QueueItem> {
  const items = await real.world.waitForQueue(`the pane of ${agent.name} to be listed`, (queue) =>
    queue.some((item) => inPaneOf(agent)(item) && asks.test(item.ask.text)),
  )
  return items.find(inPaneOf(agent))!
}

const goneFromPane = (real: RealWorld, agent: RealAgent) =>
  real.world.waitForQueue(`the pane of ${agent.name} to be off the queue`, (queue) => {
    return !queue.some(inPaneOf(agent))
  })

describe('a program that asks before it has a session', () => {
  test('is listed with what it asks, and gone when it was answered', async ({ real }) => {
    const { home, dir } = real.world
    writeClaudeHome(home, `${dir}/projects`, { trusted: false })
    const agent = await real.start('distrusted', { waitsForComposer: false })

    const question = /Accessing workspace:[\s\S]*Yes, I trust this folder/
    const item = await listedInPane(real, agent, question)
    expect(item).toMatchObject({
      session: `pid-${agent.pid}`,
      harness: 'claude-code',
      reason: 'permission',
      pane: agent.pane,
    })

    await agent.choose(/^Yes, I trust/)
    await agent.waitForStatus('idle')
    await goneFromPane(real, agent)
    await agent.prompt('Are you there?', say('Here I am.'))
    await real.listed(agent, ({ ask }) => ask.text === 'Here I am.')
    expect((await real.world.queue()).filter(inPaneOf(agent))).toHaveLength(1)
  })

  test('is gone with the program when it is told to exit', async ({ real }) => {
    const { home, dir } = real.world
    writeClaudeHome(home, `${dir}/projects`, { trusted: false })
    const agent = await real.start('unwanted', { waitsForComposer: false })
    await listedInPane(real, agent, /trust this folder/)
    await agent.choose(/^No, exit/)
    await goneFromPane(real, agent)
  })

  test('says which setting it warns of', async ({ real }) => {
    const { home, dir } = real.world
    writeClaudeHome(home, `${dir}/projects`)
    const settings = join(home, '.claude', 'settings.json')
    writeFileSync(settings, JSON.stringify({ hooks: { Stampede: [] } }))
    const agent = await real.start('warned', { waitsForComposer: false })
    await listedInPane(real, agent, /Unknown hook event "Stampede"/)
    writeFileSync(settings, '{}')
    await agent.choose(/^1\. Continue|^Continue/)
    await goneFromPane(real, agent)
  })

  test('is listed on its very first start, and before its key is approved', async ({ real }) => {
    const { home, dir } = real.world
    writeClaudeHome(home, `${dir}/projects`, { onboarded: false })
    const first = await real.start('first', { waitsForComposer: false })
    await listedInPane(real, first, /text style/)
    writeClaudeHome(home, `${dir}/projects`, { keyApproved: false })
    const keyless = await real.start('keyless', { waitsForComposer: false })
    await listedInPane(real, keyless, /custom API key/)
    writeClaudeHome(home, `${dir}/projects`)
  })
})
