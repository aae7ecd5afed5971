import { expect, test } from 'vitest'
import type { AuditView, MessagesView, ThreadsView } from '../../src/contract/supervisor.ts'
import { createRanch, type Ranch } from '../support/supervisor/ranch.ts'
import { waitFor } from '../support/wait-for.ts'

const ROLES = ['lead', 'hand']

async function ranchWithLead(): Promise<Ranch> {
  const ranch = await createRanch({ roles: ROLES, orchestrator: 'lead' })
  await ranch.start('lead')
  await ranch.start('hand')
  return ranch
}

/** What the orchestrator was sent about the operator. */
async function messagesOf(ranch: Ranch): Promise<string[]> {
  const { threads } = await ranch.get<ThreadsView>('/threads')
  const [thread] = threads.filter(({ id }) => id.endsWith('_operator'))
  if (!thread) return []
  const { messages } = await ranch.get<MessagesView>(`/messages?thread=${thread.id}`)
  return messages.map(({ text }) => text)
}

const reported = (ranch: Ranch, count: number) =>
  waitFor(() => messagesOf(ranch), {
    what: `${count} messages about the operator`,
    until: (all) => all.length >= count,
    timeoutMs: 20_000,
  })

const listed = async (ranch: Ranch) =>
  (await ranch.world.queue()).map(({ agent, label }) => `${agent} ${label}`)

async function type(ranch: Ranch, role: string, text: string): Promise<void> {
  const pane = (await ranch.runtime(role)).pane?.id ?? ''
  await ranch.world.tmux.run('send-keys', '-t', pane, '-l', text)
  await ranch.world.tmux.run('send-keys', '-t', pane, 'Enter')
}

test.each([
  ['by a hook and a transcript', {}],
  ['by a transcript alone', { mutesHooks: true }],
] as const)(
  'a prompt of the operator is reported once, seen %s; a trigger is not',
  async (_, faults) => {
    await using ranch = await ranchWithLead()
    ranch.setFaults('hand', faults)
    const { id } = await ranch.trigger('hand', 'Look at the north fence.')
    await ranch.settled(id)
    await type(ranch, 'hand', 'Look at the south fence.')
    const messages = await reported(ranch, 1)
    expect(messages).toEqual([
      expect.stringContaining('The operator typed a prompt into the pane of ranch/hand.'),
    ])
    await waitFor(() => ranch.submitted('lead'), {
      what: 'the orchestrator to be prompted',
      until: (prompts) => prompts.some((text) => text.includes('new_unread_messages')),
    })
    // Nothing else comes in the time that it would take.
    await type(ranch, 'hand', 'Look at the east fence.')
    expect(await reported(ranch, 2)).toHaveLength(2)
    const { lines } = await ranch.get<AuditView>('/audit?kind=operator_intervened')
    expect(lines.map(({ detail, agentId }) => [detail, agentId])).toEqual([
      ['prompted', 'ranch/hand'],
      ['prompted', 'ranch/hand'],
    ])
  },
)

test('an answered permission is reported once, with its tool', async () => {
  await using ranch = await ranchWithLead()
  const { id } = await ranch.trigger('hand', 'Paint the gate. Ask first.')
  await ranch.settled(id)
  await ranch.world.waitForQueue('its permission', (all) => all.length > 0)
  expect(await ranch.runtime('hand')).toMatchObject({
    status: 'ready',
    waits: { label: 'permission', ask: expect.stringContaining('touch fence') },
  })
  const { stdout } = await ranch.world.trailboss('runtime', 'list')
  expect(stdout).toMatch(/ranch\/hand +permission /)
  await type(ranch, 'hand', '')
  expect(await reported(ranch, 1)).toEqual([
    'The operator answered a permission prompt (Bash) of ranch/hand. It goes on with its work.',
  ])
})

test('an agent that has finished what a trigger asked is not the operator’s; one that he prompted is', async () => {
  await using ranch = await ranchWithLead()
  const { id } = await ranch.trigger('hand', 'Look at the north fence.')
  await ranch.settled(id)
  await ranch.waitForRuntime('hand', 'to rest', ({ status }) => status === 'ready')
  const session = (await ranch.runtime('hand')).session ?? ''
  const explained = async () => (await ranch.world.trailboss('explain', session)).stdout
  await waitFor(explained, {
    what: 'its turn to have ended',
    until: (text) => text.replaceAll(/\s+/g, ' ').includes('it is not yours to answer'),
  })
  expect(await listed(ranch)).toEqual([])
  const sessions = await ranch.world.trailboss('sessions')
  expect(sessions.stdout).toMatch(/^idle .*ranch\/hand/m)

  const asking = await ranch.trigger('hand', 'Look at it. Say: Shall I paint it?')
  await ranch.settled(asking.id)
  await ranch.world.waitForQueue('its question', (all) => all.length === 1)
  await type(ranch, 'hand', 'Yes. Say: Painted.')
  await ranch.world.waitForQueue('what it said to its operator', ([first]) => {
    return first?.ask.text === 'Painted.'
  })
  expect(await listed(ranch)).toEqual(['ranch/hand finished'])
})

test('its screen can be read, also after its process died, and a failed trigger has the one it failed on', async () => {
  const supervisor = { delivery: { busyLimitMs: 3_000 } }
  await using ranch = await createRanch({ roles: ['hand'], supervisor })
  await ranch.start('hand')
  const logs = async () => (await ranch.world.trailboss('runtime', 'logs', 'hand')).stdout
  expect(await logs()).toContain('? for shortcuts')
  ranch.setFaults('hand', { shows: 'dialog' })
  await waitFor(logs, { what: 'its dialog', until: (text) => text.includes('Do you want to') })
  const { id } = await ranch.trigger('hand', 'Look at the gate, password=hunter2hunter2.')
  expect(await ranch.settled(id)).toMatchObject({
    state: 'failed',
    code: 'DEFER_TIMEOUT',
    screen: expect.stringContaining('Do you want to proceed?'),
  })
  const shown = await ranch.world.trailboss('trigger', 'show', id)
  expect(shown.stdout).toContain('Look at the gate')
  expect(shown.stdout).toContain('The screen that it failed on:')

  await ranch.post('/runtimes/stop', { agent: 'hand' })
  await ranch.waitForRuntime('hand', 'stopped', ({ status }) => status === 'stopped')
  const { stderr, stdout } = await ranch.world.trailboss('runtime', 'logs', 'hand')
  expect(stderr).toContain('Its last process left this')
  expect(stdout).toContain('Do you want to proceed?')
})

test('the policy of a role holds for its agent: a one-time yes is given by us, and reported to nobody', async () => {
  await using ranch = await createRanch({
    ...{ roles: ROLES, orchestrator: 'lead', policy: 'approve' },
    supervisor: { runtime: { reconcileMs: 500 } },
  })
  await ranch.start('lead')
  await ranch.start('hand')
  const { id } = await ranch.trigger('hand', 'Paint the gate. Ask first.')
  await ranch.settled(id)
  await waitFor(() => ranch.log('hand').some(({ kind }) => kind === 'answered'), {
    what: 'its dialog to be answered',
    until: Boolean,
    timeoutMs: 30_000,
  })
  const keys = async () =>
    (await ranch.get<AuditView>('/audit?agent=ranch/hand&kind=key_pressed')).lines
  const lines = await waitFor(keys, { what: 'both keys', until: (all) => all.length > 1 })
  expect(lines.map(({ detail }) => detail)).toEqual(['Enter (approve)', 'Enter'])
  await ranch.world.waitForQueue('nothing', (all) => all.length === 0)
  expect(await messagesOf(ranch)).toEqual([])
})

test('without a policy a dialog is left to the operator', async () => {
  await using ranch = await createRanch({
    ...{ roles: ROLES, orchestrator: 'lead' },
    supervisor: { runtime: { reconcileMs: 200 } },
  })
  await ranch.start('hand')
  const { id } = await ranch.trigger('hand', 'Paint the gate. Ask first.')
  await ranch.settled(id)
  await ranch.world.waitForQueue('its permission', (all) => all.length > 0)
  // Several comparisons later, the dialog has stood for longer than a policy would wait.
  const since = Date.now()
  await waitFor(() => Date.now() - since, { what: 'several looks', until: (ms) => ms > 4_000 })
  const { lines } = await ranch.get<AuditView>('/audit?agent=ranch/hand&kind=key_pressed')
  expect(lines.map(({ detail }) => detail)).toEqual(['Enter'])
})
