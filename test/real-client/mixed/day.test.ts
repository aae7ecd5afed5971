import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DispatchView } from '../../../src/contract/dispatch.ts'
import type { AuditView, MessagesView, ThreadView } from '../../../src/contract/supervisor.ts'
import { createWorld, describeWorld } from '../../support/create-world.ts'
import { supervised } from '../../support/supervisor/supervised.ts'
import { actUntil, waitFor } from '../../support/wait-for.ts'
import { FAKE_KEY, writeClaudeHome } from '../support/agents/claude-home.ts'
import { writeCodexHome } from '../support/agents/codex-agent.ts'
import { opencodeEnv, writeOpencodeHome } from '../support/agents/opencode-agent.ts'
import { CLAUDE_CODE, CODEX, cachedClient, OPENCODE } from '../support/client.ts'
import { CHAT } from '../support/model/chat-dialect.ts'
import { escalated } from '../support/model/codex-replies.ts'
import { startModelServer } from '../support/model/model-server.ts'
import { createGate, type Reply, say, tool, uses } from '../support/model/reply.ts'
import { RESPONSES } from '../support/model/responses-dialect.ts'

const PATIENT_MS = 90_000

/** Each harness calls the tools of an MCP server by a name of its own. */
const TOOL_NAMES = {
  lead: (name: string) => `mcp__trailboss__${name}`,
  digger: (name: string) => `mcp__trailboss/${name}`,
  painter: (name: string) => `trailboss_${name}`,
}
type Role = keyof typeof TOOL_NAMES

const bridge = (role: Role, name: string, input: Record<string, unknown>): Reply =>
  uses(tool(TOOL_NAMES[role](name), input))

/** Claude Code leads, Codex digs, opencode paints. */
async function createDay() {
  const models = {
    lead: await startModelServer(),
    digger: await startModelServer(RESPONSES),
    painter: await startModelServer(CHAT),
  }
  const world = await createWorld({ up: false })
  const directory = join(world.dir, 'projects', 'ranch')
  const tmp = join(world.dir, 'tmp')
  for (const dir of [directory, tmp]) mkdirSync(dir)
  writeClaudeHome(world.home, join(world.dir, 'projects'))
  writeCodexHome({ ...world, model: models.digger })
  writeOpencodeHome(world.home, models.painter)
  const claude = {
    command: [cachedClient(CLAUDE_CODE).binary, '--permission-mode', 'manual'],
    env: {
      ...{ TMPDIR: tmp, ANTHROPIC_BASE_URL: models.lead.url, ANTHROPIC_API_KEY: FAKE_KEY },
      ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1' },
      ...{ DISABLE_ERROR_REPORTING: '1', DISABLE_AUTOUPDATER: '1' },
    },
  }
  const ranch = {
    directories: [directory],
    orchestrator: 'lead',
    harnesses: { 'claude-code': claude },
    roles: {
      lead: { harness: 'claude-code' },
      digger: {
        ...{ harness: 'codex', command: [cachedClient(CODEX).binary] },
        env: { STUB_KEY: 'fake-key-for-a-scripted-model' },
      },
      painter: {
        ...{ harness: 'opencode', command: [cachedClient(OPENCODE).binary] },
        env: opencodeEnv(world),
      },
    },
  }
  const supervisor = { safeguard: { turns: 3 }, rate: { perThread: 100, perAgent: 100 } }
  const config = { workspaces: { ranch }, supervisor }
  writeFileSync(join(world.state, 'config.json'), JSON.stringify(config))
  await world.up()
  for (const harness of ['claude-code', 'codex', 'opencode']) {
    expect((await world.trailboss('install', harness, '--yes')).code).toBe(0)
  }
  const operator = supervised(world, 'ranch', { patientMs: PATIENT_MS })
  return {
    ...operator,
    world,
    models,
    directory,
    audited: async (query: string) => (await operator.get<AuditView>(`/audit?${query}`)).lines,
    said: async (thread: string) =>
      (await operator.get<MessagesView>(`/messages?thread=${thread}`)).messages,
    [Symbol.asyncDispose]: async () => {
      await world.trailboss('dispatch', 'stop', 'fence')
      await world.trailboss('runtime', 'stop', '--all')
      await world[Symbol.asyncDispose]()
      for (const model of Object.values(models)) await model[Symbol.asyncDispose]()
    },
  }
}

test('a day on the ranch: three harnesses, one orchestrator, one operator', async () => {
  await using day = await createDay()
  try {
    await live(day)
  } catch (error) {
    console.error(await describeWorld(day.world))
    throw error
  }
}, 400_000)

async function live(day: Awaited<ReturnType<typeof createDay>>): Promise<void> {
  const { models, world } = day
  const [lead, digger, painter] = await Promise.all([
    day.start('lead', 'ready'),
    day.start('digger', 'ready'),
    day.start('painter', 'ready'),
  ])

  // Work is handed out by the orchestrator.
  const hand = (agent: string, text: string) =>
    bridge('lead', 'trigger_agent', { agent, reason: 'work', text })
  models.lead.plan(
    'Begin the day',
    ...[hand('digger', 'Dig the long ditch'), hand('painter', 'Paint the red barn')],
    say('Handed out.'),
  )
  models.digger.plan('Dig the long ditch', escalated('touch /ditch'), say('The ditch is dug.'))
  const never = createGate()
  models.painter.plan('Paint the red barn', say('The barn is red.', { before: never }))
  const begin = await day.trigger('lead', 'Begin the day')
  expect(await day.settled(begin.id)).toMatchObject({ state: 'delivered' })
  const handedOut = await waitFor(
    () => day.audited('actor=ranch/lead&kind=trigger_queued').then((lines) => lines.toReversed()),
    { what: 'both jobs', until: (lines) => lines.length === 2, timeoutMs: PATIENT_MS },
  )
  expect(handedOut.map(({ agentId }) => agentId)).toEqual(['ranch/digger', 'ranch/painter'])
  for (const { triggerId } of handedOut) {
    expect(await day.settled(triggerId ?? '')).toMatchObject({ state: 'delivered' })
  }

  // A permission is in the queue under the agent's name; the operator approves it, and the orchestrator hears once.
  await world.waitForQueue('the permission of the digger', (items) =>
    items.some(({ agent, reason }) => agent === 'ranch/digger' && reason === 'permission'),
  )
  await day.waitForRuntime('digger', 'to wait', ({ waits }) => waits?.label === 'permission')
  const isAnswered = async () => (await day.runtime('digger')).waits === null
  const press = () => world.tmux.run('send-keys', '-t', digger.pane?.id ?? '', 'y')
  await actUntil(press, isAnswered, { what: 'it to be answered', timeoutMs: PATIENT_MS })
  const notices = async () => (await day.said('th_ranch_operator')).map(({ text }) => text)
  const [notice] = await waitFor(notices, {
    what: 'the orchestrator to hear of it',
    until: (all) => all.length > 0,
    timeoutMs: PATIENT_MS,
  })
  expect(notice).toMatch(/^The operator answered a permission prompt .*of ranch\/digger\./)
  await models.lead.waitForRequest('thread=th_ranch_operator')

  // A worker dies in the middle of its turn, comes back with its session, and takes its next prompt.
  await models.painter.waitForRequest('Paint the red barn')
  process.kill((await day.runtime('painter')).pid ?? 0, 'SIGKILL')
  never.open()
  await waitFor(() => day.audited('agent=ranch/painter&kind=runtime_restarted'), {
    what: 'the painter to be started again',
    until: (lines) => lines.length === 1,
    timeoutMs: PATIENT_MS,
  })
  models.painter.plan('Paint the white fence', say('The fence is white.'))
  const white = await day.trigger('painter', 'Paint the white fence')
  expect(await day.settled(white.id)).toMatchObject({ state: 'delivered' })
  await models.painter.waitForRequest('Paint the white fence')

  // A thread goes in circles, is blocked, and the orchestrator unblocks it: once.
  const { id: thread } = await day.post<ThreadView>('/threads', {
    workspace: 'ranch',
    title: 'Whose gate is it?',
    participants: ['digger', 'painter'],
  })
  const claim = () => bridge('digger', 'post_message', { thread, text: 'It is not mine.' })
  models.digger.plan('Ask about the gate', claim(), claim(), claim(), say('I have asked.'))
  const gate = await day.trigger('digger', 'Ask about the gate')
  await day.settled(gate.id)
  const state = async () => (await day.get<ThreadView>(`/threads?id=${thread}`)).state.kind
  await waitFor(state, {
    what: 'the thread to be blocked',
    until: (kind) => kind === 'blocked',
    timeoutMs: PATIENT_MS,
  })
  const decide = bridge('lead', 'unblock_thread', { thread })
  models.lead.plan('Settle the gate', decide, say('They may go on.'))
  const settle = await day.trigger('lead', 'Settle the gate')
  await day.settled(settle.id)
  await waitFor(state, {
    what: 'the thread to go on',
    until: (kind) => kind === 'open',
    timeoutMs: PATIENT_MS,
  })
  expect(await day.audited(`thread=${thread}&kind=thread_unblocked`)).toMatchObject([
    { actor: 'ranch/lead', result: 'ok' },
  ])

  // A dispatch is done by one agent and reviewed by another.
  models.lead.plan('Mend the north fence', say('The north fence is mended.'))
  models.digger.plan('Review the work of another agent', say('It is right.'))
  const fence = ['--harness', 'claude-code', '--cwd', day.directory, '--reviewer', 'digger']
  await world.json<DispatchView>('dispatch', 'fence', ...fence, '--prompt', 'Mend the north fence')
  expect(await day.dispatchIn('fence', 'done', 'failed')).toMatchObject({
    ...{ state: 'done', result: 'The north fence is mended.', review: 'It is right.' },
  })

  // Nothing is left for the operator, and the bridge has each thing once.
  await world.waitForQueue('nobody to wait', (items) => items.length === 0)
  expect(await notices()).toEqual([notice])
  const interventions = await day.audited('kind=operator_intervened')
  expect(interventions.map(({ agentId, detail }) => [agentId, detail])).toEqual([
    ['ranch/digger', 'answered'],
  ])
  const sent = await day.audited('kind=trigger_delivered&limit=100')
  expect(new Set(sent.map(({ triggerId }) => triggerId)).size).toBe(sent.length)
  const failed = await day.audited('kind=trigger_failed')
  expect(failed.filter(({ result }) => result !== 'THREAD_AUTO_BLOCKED')).toEqual([])
  expect([lead, painter].map(({ agent }) => agent)).toEqual(['ranch/lead', 'ranch/painter'])
}
