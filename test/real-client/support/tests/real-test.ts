import { test as base } from 'vitest'
import type { RealAgent, RealAgentOptions } from '../agents/claude-agent.ts'
import { createRealWorld, type RealWorld, type RealWorldOptions } from '../real-world.ts'

/**
 * One world and one model per file; a fresh Claude Code, started with `agentOptions`, for every test
 * that asks for `agent`. All that a test starts end with it; if it failed, they are described first.
 */
export function realTest(options: RealWorldOptions = {}, agentOptions: RealAgentOptions = {}) {
  return base.extend<{
    $file: { real: RealWorld }
    $test: { cleanUp: undefined; agent: RealAgent }
  }>({
    real: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures off the pattern.
      async ({}, use) => {
        await using real = await createRealWorld(options)
        await use(real)
      },
      { scope: 'file' },
    ],
    cleanUp: [
      async ({ real, task }, use) => {
        const before = new Set(real.agents)
        await use(undefined)
        const started = real.agents.filter((agent) => !before.has(agent))
        if (task.result?.state === 'fail') {
          for (const agent of started) console.error(await describeAgent(agent, real))
        }
        for (const agent of started) await agent[Symbol.asyncDispose]()
      },
      { auto: true },
    ],
    agent: async ({ real }, use) => {
      await use(await real.start(undefined, agentOptions))
    },
  })
}

async function describeAgent(agent: RealAgent, { world }: RealWorld): Promise<string> {
  const explained = await world.trailboss('explain', agent.session).catch((error) => error)
  return [
    `--- ${agent.name} (${agent.pid}, ${agent.session}) shows`,
    (await agent.screen().catch(String)).replace(/\n{3,}/g, '\n…\n'),
    '--- its status file',
    JSON.stringify(agent.statusFile()),
    '--- trailboss explain',
    `${explained.stdout ?? explained}${explained.stderr ?? ''}`,
    '--- daemon log, last lines',
    world.daemonLog().split('\n').slice(-20).join('\n'),
  ].join('\n')
}
