import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { opencodeEnv } from '../support/agents/opencode-agent.ts'
import { say } from '../support/model/reply.ts'
import { opencodeTest } from '../support/tests/opencode-test.ts'

const test = opencodeTest()

test('opencode run is never listed', async ({ real }) => {
  const { world, model, places } = real
  const cwd = join(world.dir, 'projects', 'headless')
  mkdirSync(cwd)
  model.plan('Run once', say('Once.'))
  const run = promisify(execFile)(places.binary, ['run', 'Run once'], {
    cwd,
    env: opencodeEnv(places),
  })
  run.child.stdin?.end()
  expect((await run).stdout).toContain('Once.')
  expect(await world.queue()).toEqual([])
  expect(await world.sessions()).toEqual([])
})
