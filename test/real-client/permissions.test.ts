import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { RealAgent } from './support/agents/claude-agent.ts'
import {
  bash,
  createGate,
  edit,
  type Gate,
  mcp,
  type Reply,
  read,
  say,
  tool,
  uses,
  write,
} from './support/model/reply.ts'
import type { RealWorld } from './support/real-world.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest({}, { mcp: true })

type Asking = {
  tool: string
  replies(cwd: string): Reply[]
  /** What the operator must be able to read off the queue. */
  shown: string[]
  /** How many requests the model has had when the tool has run. */
  requests: number
}

/** The tools that take time run for 20 s once they are approved; nothing tells of it meanwhile. */
const ASKING: Asking[] = [
  {
    tool: 'Bash',
    replies: () => [bash('touch approved-marker && sleep 20')],
    shown: ['touch approved-marker && sleep 20'],
    requests: 2,
  },
  {
    tool: 'Write',
    replies: (cwd) => [write(join(cwd, 'notes.txt'), 'first line\nsecond line\n')],
    shown: ['notes.txt', 'second line'],
    requests: 2,
  },
  {
    tool: 'Edit',
    replies: (cwd) => [read(join(cwd, 'poem.txt')), edit(join(cwd, 'poem.txt'), 'roses', 'cows')],
    shown: ['poem.txt', 'roses', 'cows'],
    requests: 3,
  },
  {
    tool: 'mcp__ranch__note',
    replies: () => [mcp('note', { text: 'mend the fence', seconds: 20 })],
    shown: ['note', 'ranch', 'mend the fence'],
    requests: 2,
  },
]

describe.for(ASKING)('a permission for $tool', (asking) => {
  test('approved, is gone within a second and stays gone while the tool runs', async ({
    agent,
    real,
  }) => {
    const { prompt, answer } = await ask(agent, real, asking)
    await agent.approve()
    await real.gone(agent, 1_000)
    const hasRun = () => real.model.requestsFor(prompt).length >= asking.requests
    await real.staysGone(agent, hasRun)
    answer.open()
    await real.listed(agent, ({ ask }) => ask.text === 'All done.')
  })

  test('denied, becomes a stop', async ({ agent, real }) => {
    await ask(agent, real, asking)
    await agent.deny()
    await expectInterrupted(agent, real)
  })

  test('left with Escape, becomes a stop', async ({ agent, real }) => {
    await ask(agent, real, asking)
    await agent.escape()
    await expectInterrupted(agent, real)
  })

  test('denied with feedback, is gone, because the turn goes on', async ({ agent, real }) => {
    const { prompt, answer } = await ask(agent, real, asking)
    await agent.denyWithFeedback('leave it be')
    await real.gone(agent, 1_000)
    await real.staysGone(agent, () => real.model.requestsFor(prompt).length >= asking.requests)
    expect(real.model.requestsFor(prompt).at(-1)?.results.join()).toContain('leave it be')
    answer.open()
    await real.listed(agent, ({ ask }) => ask.text === 'All done.')
  })
})

describe('two tools in one message', () => {
  const pair = uses(
    tool('Bash', { command: 'touch first-marker', description: 'The first' }),
    tool('Bash', { command: 'touch second-marker', description: 'The second' }),
  )
  const asksFor = (command: string) => (item: { reason: string; ask: { text: string } }) =>
    item.reason === 'permission' && item.ask.text.includes(command)

  test('ask one after the other, each with its own command', async ({ agent, real }) => {
    const answer = createGate()
    await agent.prompt('Make both markers', pair, say('Both made.', { before: answer }))
    await real.listed(agent, asksFor('touch first-marker'))
    await agent.approve()
    await real.listed(agent, asksFor('touch second-marker'))
    await agent.approve()
    await real.gone(agent, 1_000)
    answer.open()
    await real.listed(agent, ({ ask }) => ask.text === 'Both made.')
  })

  test('the second one denied, it is a stop', async ({ agent, real }) => {
    await agent.prompt('Make both, or one', pair)
    await real.listed(agent, asksFor('touch first-marker'))
    await agent.approve()
    await real.listed(agent, asksFor('touch second-marker'))
    await agent.deny()
    await expectInterrupted(agent, real)
  })
})

let asked = 0

async function ask(
  agent: RealAgent,
  real: RealWorld,
  { tool, replies, shown }: Asking,
): Promise<{ prompt: string; answer: Gate }> {
  writeFileSync(join(agent.cwd, 'poem.txt'), 'roses are red\n')
  asked += 1
  const prompt = `Job ${asked} for ${tool}`
  const answer = createGate()
  await agent.prompt(prompt, ...replies(agent.cwd), say('All done.', { before: answer }))
  const item = await real.listed(agent, ({ ask }) => ask.tool === tool)
  const { pane, cwd } = agent
  expect(item).toMatchObject({ reason: 'permission', ready: true, pane, cwd })
  for (const text of shown) expect(item.ask.text).toContain(text)
  // It is listed a little before Claude Code has drawn it.
  await agent.waitForDialog()
  return { prompt, answer }
}

const INTERRUPTED = 'stopped: Interrupted by you.'

/** Neither a hook nor a request tells of it. */
async function expectInterrupted(agent: RealAgent, real: RealWorld): Promise<void> {
  await real.listed(agent, ({ reason, ask }) => `${reason}: ${ask.text}` === INTERRUPTED)
  expect(await real.explain(agent)).toMatchObject({ state: 'stuck', reason: 'stopped' })
}
