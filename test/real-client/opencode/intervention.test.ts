import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ExplainView } from '../../../src/contract/responses.ts'
import type { ThreadsView } from '../../../src/contract/supervisor.ts'
import { createWorld } from '../../support/create-world.ts'
import { supervised } from '../../support/supervisor/supervised.ts'
import { waitFor } from '../../support/wait-for.ts'
import { opencodeEnv, writeOpencodeHome } from '../support/agents/opencode-agent.ts'
import { cachedClient, OPENCODE } from '../support/client.ts'
import { CHAT } from '../support/model/chat-dialect.ts'
import { startModelServer } from '../support/model/model-server.ts'
import { say } from '../support/model/reply.ts'

const PATIENT_MS = 90_000

test('the orchestrator hears of a prompt that the operator typed, and of no trigger', async () => {
  await using model = await startModelServer(CHAT)
  await using world = await createWorld({ up: false })
  const directory = join(world.dir, 'projects', 'ranch')
  mkdirSync(directory)
  writeOpencodeHome(world.home, model)
  const { binary } = cachedClient(OPENCODE)
  const role = { harness: 'opencode', command: [binary], env: opencodeEnv(world) }
  const ranch = {
    directories: [directory],
    orchestrator: 'lead',
    roles: { lead: role, hand: role },
  }
  writeFileSync(join(world.state, 'config.json'), JSON.stringify({ workspaces: { ranch } }))
  await world.up()
  expect((await world.trailboss('install', 'opencode', '--yes')).code).toBe(0)
  const operator = supervised(world, 'ranch', { patientMs: PATIENT_MS })
  const { pane } = await operator.start('hand', 'ready')
  const notices = async () => {
    const { threads } = await world.json<ThreadsView>('thread', 'list')
    return threads.reduce((sum, { lastSeq }) => sum + lastSeq, 0)
  }
  const lastWords = async () => {
    const { session } = await operator.runtime('hand')
    const { ask } = await operator.get<ExplainView>(`/explain?target=${session}`)
    return ask?.text
  }
  const hasSaid = (words: string) =>
    waitFor(lastWords, {
      what: `the turn that ends with "${words}"`,
      until: (said) => said === words,
      timeoutMs: PATIENT_MS,
    })
  const listed = async () => (await world.queue()).map(({ ask }) => ask.text)
  const trigger = async (text: string, answer: string) => {
    model.plan(text, say(answer))
    const { id } = await operator.trigger('hand', text)
    expect(await operator.settled(id)).toMatchObject({ state: 'delivered' })
    await hasSaid(answer)
  }

  try {
    await trigger('Feed the horses', 'Fed.')
    await trigger('Mend the fence', 'Mended.')
    expect(await notices()).toBe(0)
    expect(await listed()).toEqual([])

    const typed = 'Rest a little'
    model.plan(typed, say('Rested.'))
    await world.tmux.run('send-keys', '-t', pane?.id ?? '', '-l', typed)
    await waitFor(() => world.tmux.run('capture-pane', '-p', '-t', pane?.id ?? ''), {
      what: 'it to stand in the composer',
      until: (screen) => screen.includes(typed),
    })
    await world.tmux.run('send-keys', '-t', pane?.id ?? '', 'Enter')
    await hasSaid('Rested.')
    expect(await listed()).toEqual(['Rested.'])
    await waitFor(notices, { what: 'the orchestrator to be notified', until: (count) => count > 0 })

    await trigger('Ride the north line', 'Ridden.')
    expect(await notices()).toBe(1)
  } finally {
    await operator.post('/runtimes/stop', { agent: 'ranch/hand' })
  }
})
