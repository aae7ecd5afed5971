import { expect } from 'vitest'
import { writeClaudeHome } from './support/agents/claude-home.ts'
import { bash } from './support/model/reply.ts'
import { describeComposer, sightOf, waitToSee } from './support/tests/composer.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest({ hooks: false })

describeComposer(test, { title: 'Claude Code', harness: 'claude-code', running: bash })

test('no composer is seen before the question whether to trust a folder', async ({ real }) => {
  const { home, dir } = real.world
  writeClaudeHome(home, `${dir}/projects`, { trusted: false })
  const agent = await real.start('distrusted', { waitsForComposer: false })
  const seen = new Set<string>()
  do seen.add((await sightOf('claude-code', agent)).kind)
  while (!/trust this folder/.test(await agent.screen()))
  expect([...seen]).toEqual(['none'])
  await agent.choose(/^Yes, I trust/)
  await waitToSee('claude-code', agent, 'empty')
})
