import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import type { QueueItem } from '../../src/contract/responses.ts'
import type { RealAgent } from './support/agents/claude-agent.ts'
import { cachedClient } from './support/client.ts'
import { bash, createGate, holdBack, say } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest()
const { binary } = cachedClient()

describe('claude -p in the pane of a session that is stuck', () => {
  test('changes nothing of that session, and is not listed itself', async ({ agent, real }) => {
    await agent.prompt('Ask me first', bash('touch asked'), say('Done.'))
    // By its hook or its transcript: what only its screen has told would be told anew.
    const asked = await real.listed(agent, ({ ask }) => ask.tool === 'Bash')
    expect(asked.ask.text).toContain('touch asked')
    const gate = createGate()
    real.model.plan('Work unseen', holdBack(bash('touch unseen'), gate), say('Refused, so be it.'))
    const run = startHeadless(agent, 'Work unseen')
    const essence = ({ session, reason, pane, ask }: QueueItem) =>
      [session, reason, pane?.id, ask.text].join()
    const isAsBefore = async () => (await real.world.queue()).map(essence).join() === essence(asked)
    const hidden = async () =>
      (await real.world.sessions()).find(({ session }) => session !== agent.session)

    await real.always('only the stuck session is listed', isAsBefore, async () => {
      return (await hidden())?.state === 'working'
    })
    gate.open()
    await real.always('only the stuck session is listed', isAsBefore, async () => {
      return (await hidden())?.state === 'ended'
    })
    expect(await run).toBe('Refused, so be it.\n')
    await agent.approve()
    await real.listed(agent, ({ ask }) => ask.text === 'Done.')
  })

  test('that the session itself ran with ! leaves the pane to it', async ({ agent, real }) => {
    await agent.prompt('Wait for me', say('Waiting.'))
    await real.listed(agent)
    const gate = createGate()
    real.model.plan('Work within', say('Worked within.', { before: gate }))
    await agent.submit(`!${binary} -p 'Work within'`)
    await gate.reached
    await real.gone(agent)
    await real.staysGone(agent, () => agent.statusFile()?.status === 'busy')
    const others = (await real.world.sessions()).filter(({ session }) => session !== agent.session)
    expect(others.filter(({ pane }) => pane !== null)).toEqual([])
    expect(await real.stateOf(agent.session)).toBe('working')
    gate.open()
    await real.listed(agent)
    expect(await real.world.queue()).toMatchObject([{ session: agent.session, pane: agent.pane }])
  })
})

/** In the very environment of the agent, as from a shell of its pane. Comes back with its output. */
async function startHeadless(agent: RealAgent, prompt: string): Promise<string> {
  const entries = readFileSync(`/proc/${agent.pid}/environ`, 'utf8').split('\0').filter(Boolean)
  const env = Object.fromEntries(
    entries.map((entry) => [
      entry.slice(0, entry.indexOf('=')),
      entry.slice(entry.indexOf('=') + 1),
    ]),
  )
  const child = spawn(binary, ['-p', prompt, '--permission-mode', 'manual'], {
    env,
    cwd: agent.cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  // Its last words may be read after it has exited.
  await once(child, 'close')
  return said
}
