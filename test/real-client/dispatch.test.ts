import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { DispatchLogsView } from '../../src/contract/dispatch.ts'
import type { AuditView } from '../../src/contract/supervisor.ts'
import { TRAILBOSS } from '../support/create-world.ts'
import { actUntil, waitFor } from '../support/wait-for.ts'
import { dispatchScene } from './support/dispatch-scene.ts'
import { bash, say, tool, uses } from './support/model/reply.ts'
import type { RealWorld } from './support/real-world.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest()

const keysPressed = async ({ world }: RealWorld, runtime: string) =>
  (await world.json<AuditView>('audit', '--runtime', runtime, '--kind', 'key_pressed')).lines.map(
    ({ detail }) => detail,
  )

test('a task is validated, watched, left to the operator where it asks, done, and reviewed', async ({
  real,
}) => {
  await using scene = await dispatchScene(real, 'escalate')
  const fence = join(scene.directory, 'fence')
  real.model.plan('Mend the north fence', bash(`touch '${fence}'`), say('The fence is mended.'))
  real.model.plan('Review the work of another agent', say('It is right.'))
  const task = 'Mend the north fence.\n\nIt is broken in two places:\n- at the gate\n- at the creek'
  await scene.dispatch('fence', task, '--reviewer', 'judge')

  const waiting = await scene.reaches('fence', 'waiting')
  expect(waiting).toMatchObject({
    validatedAt: expect.any(Number),
    ask: expect.stringContaining('touch'),
    session: expect.any(String),
  })
  expect((await real.world.queue()).map(({ session, reason }) => ({ session, reason }))).toEqual([
    { session: waiting.session, reason: 'permission' },
  ])
  // It may be told of before it is drawn.
  await waitFor(() => real.world.json<DispatchLogsView>('dispatch', 'logs', 'fence'), {
    what: 'its dialog in the logs',
    until: ({ screen }) => /Do you want to proceed/.test(screen?.text ?? ''),
  })
  expect(existsSync(fence)).toBe(false)

  await approved(() => scene.press('fence', 'Enter'), fence)
  const done = await scene.reaches('fence', 'done')
  expect(done).toMatchObject({ result: 'The fence is mended.', review: 'It is right.', why: null })
  expect(await keysPressed(real, done.runtimeId)).toEqual(['Enter'])
  const [prompt] = real.model.requestsFor('Mend the north fence')
  expect(prompt?.said?.join('\n')).toContain('- at the gate\n- at the creek')
  expect(said(real, '- at the creek', 'Review the work')).toBe(1)
})

test('where the policy is to approve, its dialog is answered by us, once', async ({ real }) => {
  await using scene = await dispatchScene(real, 'approve')
  const gate = join(scene.directory, 'gate')
  real.model.plan('Paint the west gate', bash(`touch '${gate}'`), say('The gate is painted.'))
  await scene.dispatch('gate', 'Paint the west gate')
  const done = await scene.reaches('gate', 'done')
  expect(done.result).toBe('The gate is painted.')
  expect(existsSync(gate)).toBe(true)
  expect((await keysPressed(real, done.runtimeId)).toSorted()).toEqual(['Enter', 'Enter (approve)'])
})

test('a task goes on when the daemon is killed while it works', async ({ real }) => {
  await using scene = await dispatchScene(real, 'escalate')
  const mark = join(scene.directory, 'hay')
  real.model.plan('Turn the hay', bash(`touch '${mark}'`), say('The hay is turned.'))
  await scene.dispatch('hay', 'Turn the hay')
  await scene.reaches('hay', 'waiting')
  await real.world.killDaemon9()
  await approved(() => real.world.tmux.run('send-keys', '-t', '=agents_ranch:hay', 'Enter'), mark)
  await real.world.up()
  expect(await scene.reaches('hay', 'done')).toMatchObject({ result: 'The hay is turned.' })
  expect(said(real, 'Turn the hay')).toBe(1)
})

test('the skills of the plugin dispatch a task and tell how it is', async ({ real }) => {
  await using scene = await dispatchScene(real, 'escalate')
  const plugin = join(real.world.dir, 'plugin')
  const wired = await real.world.trailboss('install', 'claude-code', '--plugin', plugin, '--yes')
  expect(wired).toMatchObject({ code: 0 })
  const args = ['--session-id', randomUUID(), '--plugin-dir', plugin]
  const agent = await real.start('foreman', { args })

  const begin = `${TRAILBOSS} dispatch boards --harness claude-code --cwd '${scene.directory}' --prompt - --json <<'TASK'\nNail the loose boards\nTASK`
  real.model.plan('Nail the loose boards', say('All boards are nailed.'))
  await agent.prompt(
    'Have the boards seen to by somebody else',
    uses(
      tool('Skill', { skill: 'trailboss:dispatch', args: 'the boards seen to by somebody else' }),
    ),
    bash(begin),
    bash(`${TRAILBOSS} dispatch wait boards --or-waiting --timeout 2m --json`),
    say('The boards are nailed.'),
  )
  await approvedDialog(agent, /Use skill "trailboss:dispatch"/)
  await approvedDialog(agent, /trailboss dispatch boards/)
  await scene.reaches('boards', 'done')
  await real.listed(agent, ({ ask }) => ask.text === 'The boards are nailed.')
  const [skill] = real.model.log.filter(({ said: words }) =>
    words?.some((text) => text.includes('# Dispatch a task to another agent')),
  )
  expect(skill?.said?.join('\n')).toContain(`${TRAILBOSS} dispatch wait NAME --or-waiting`)
  expect(await scene.status('boards')).toMatchObject({
    state: 'done',
    result: 'All boards are nailed.',
  })

  await agent.prompt(
    'How are the boards?',
    uses(tool('Skill', { skill: 'trailboss:status', args: 'How are the boards?' })),
    bash(`${TRAILBOSS} dispatch status boards --json`),
    say('They are done.'),
  )
  await approvedDialog(agent, /Use skill "trailboss:status"/)
  await real.listed(agent, ({ ask }) => ask.text === 'They are done.')
  const answers = real.model.log.flatMap(({ results }) => results).join('\n')
  expect(answers).toContain('All boards are nailed.')
  await real.world.trailboss('dispatch', 'stop', 'boards')
})

/** Presses it until the file is there: Claude Code takes no key in a dialog's first moments. */
async function approved(press: () => Promise<unknown>, file: string): Promise<void> {
  await actUntil(press, () => existsSync(file), { what: `${file} to be there`, timeoutMs: 60_000 })
}

async function approvedDialog(
  agent: Awaited<ReturnType<RealWorld['start']>>,
  about: RegExp,
): Promise<void> {
  await agent.waitToSee(about)
  await agent.approve()
}

/** In how many conversations it was said, those with other words in them left out. */
function said({ model }: RealWorld, words: string, without?: string): number {
  const sessions = Map.groupBy(model.log, ({ session }) => session)
  const counts = [...sessions.values()].map((requests) =>
    Math.max(
      0,
      ...requests.map(({ said: texts = [] }) => {
        const text = texts.join('\n')
        return without && text.includes(without) ? 0 : text.split(words).length - 1
      }),
    ),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}
