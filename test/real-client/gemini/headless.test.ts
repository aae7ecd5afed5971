import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import type { ExplainView } from '../../../src/contract/responses.ts'
import { type GeminiAgent, geminiEnv, MODEL_ARGS } from '../support/agents/gemini-agent.ts'
import { createGate, say } from '../support/model/reply.ts'
import { hasToldItself, type ProgramWorld } from '../support/program-world.ts'
import { geminiTest } from '../support/tests/gemini-test.ts'

const test = geminiTest()

test('gemini -p in the pane of a session that waits changes nothing of it, and is not listed', async ({
  agent,
  real,
}) => {
  await agent.prompt('Wait for me', say('Waiting.'))
  const { session } = await real.listed(agent, (item) => {
    return item.ask.text === 'Waiting.' && hasToldItself(item)
  })
  const gate = createGate()
  real.model.plan('Work unseen', say('Worked unseen.', { before: gate }))
  const run = startHeadless(agent, real, ['-p', 'Work unseen'])
  await gate.reached
  expect(await queue(real)).toEqual([session])
  gate.open()
  expect(await run).toContain('Worked unseen.')
  expect(await queue(real)).toEqual([session])
})

test('gemini --resume -p of a session that is open does not end it', async ({ agent, real }) => {
  await agent.prompt('Stay open', say('Open.'))
  const { session } = await real.listed(agent, (item) => {
    return item.ask.text === 'Open.' && hasToldItself(item)
  })
  real.model.plan('Look in', say('Looked in.'))
  const output = await startHeadless(agent, real, ['--resume', session, '-p', 'Look in'])
  expect(output).toContain('Looked in.')
  await real.listed(agent, (item) => item.session === session)
  const { because } = await real.world.json<ExplainView>('explain', session)
  expect(because.map(({ claim }) => claim)).not.toContain('ended')
})

async function queue({ world }: ProgramWorld<GeminiAgent>): Promise<string[]> {
  return (await world.queue()).map(({ session }) => session)
}

/** As from a shell of the agent's pane, with its output going elsewhere. */
async function startHeadless(
  agent: GeminiAgent,
  { places }: ProgramWorld<GeminiAgent>,
  args: string[],
): Promise<string> {
  const { id, socket } = agent.pane
  const server = await places.server.run('display-message', '-p', '#{pid}')
  const child = spawn('node', [places.binary, ...MODEL_ARGS, ...args], {
    cwd: agent.cwd,
    env: { ...geminiEnv(places), TERM: 'tmux', TMUX: `${socket},${server},0`, TMUX_PANE: id },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  // Its last words may be read after it has exited.
  await once(child, 'close')
  return said
}
