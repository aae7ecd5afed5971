import { test as base } from 'vitest'
import type { RealAgent } from './real-agent.ts'
import { createRealWorld, type RealWorld, type RealWorldOptions } from './real-world.ts'

/** One world and one model per file; a fresh Claude Code for every test that asks for `agent`. */
export function realTest(options: RealWorldOptions = {}) {
  return base.extend<{ $file: { real: RealWorld }; $test: { agent: RealAgent } }>({
    real: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures off the pattern.
      async ({}, use) => {
        await using real = await createRealWorld(options)
        await use(real)
      },
      { scope: 'file' },
    ],
    agent: async ({ real, task }, use) => {
      await using agent = await real.start()
      await use(agent)
      if (task.result?.state === 'fail') console.error(await describeAgent(agent, real))
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
