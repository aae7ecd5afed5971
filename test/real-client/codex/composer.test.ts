import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { escalated } from '../support/model/codex-replies.ts'
import { codexTest } from '../support/tests/codex-test.ts'
import { describeComposer, sightOf, waitToSee } from '../support/tests/composer.ts'

const test = codexTest({ hooks: false })

describeComposer(test, { title: 'Codex', harness: 'codex', running: escalated })

test('no composer is seen before the question whether to trust a folder', async ({ real }) => {
  const cwd = join(real.world.dir, 'unknown')
  mkdirSync(cwd)
  execFileSync('git', ['init', '-q'], { cwd })
  const agent = await real.start({ cwd, waitsForComposer: false })
  const seen = new Set<string>()
  do seen.add((await sightOf('codex', agent)).kind)
  while (!/Trust this folder/.test(await agent.screen()))
  expect([...seen]).toEqual(['none'])
  await agent.approve()
  await waitToSee('codex', agent, 'empty')
})
