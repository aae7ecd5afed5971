import { test as base } from 'vitest'
import type { World } from '../../../support/create-world.ts'
import type { PromptedProgram } from '../agents/pane-program.ts'
import { createProgramWorld, type ProgramUnderTest, type ProgramWorld } from '../program-world.ts'

/**
 * One world per file. `agent` is a fresh one for every test, or one for the whole file where a start
 * takes seconds; others come from `real.start`. Of a test that failed all is described.
 */
export function programTest<Agent extends PromptedProgram>(
  underTest: ProgramUnderTest<Agent>,
  { agentFor }: { agentFor: 'test' | 'file' },
) {
  const inWorld = base.extend<{
    $file: { real: ProgramWorld<Agent> }
    $test: { cleanUp: undefined }
  }>({
    real: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures off the pattern.
      async ({}, use) => {
        await using real = await createProgramWorld(underTest)
        await use(real)
      },
      { scope: 'file' },
    ],
    cleanUp: [
      async ({ real, task }, use) => {
        await use(undefined)
        if (task.result?.state === 'fail') console.error(await describeWorld(real.world))
      },
      { auto: true },
    ],
  })
  return inWorld.extend<{ agent: Agent }>({
    agent: [
      async ({ real }, use) => {
        await using agent = await real.start()
        await use(agent)
      },
      { scope: agentFor },
    ],
  })
}

async function describeWorld(world: World): Promise<string> {
  const panes = await world.tmux.run('list-panes', '-a', '-F', '#{pane_id} #{pane_title}')
  const screens = await Promise.all(
    panes.split('\n').map(async (line) => {
      const [id = ''] = line.split(' ')
      const { stdout } = await world.tmux.try('capture-pane', '-p', '-t', id)
      return `--- ${line}\n${stdout.replace(/\n{3,}/g, '\n…\n')}`
    }),
  )
  const explained = await world.trailboss('explain', '--all')
  return [...screens, '--- explain', explained.stdout, explained.stderr].join('\n')
}
