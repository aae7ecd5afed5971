import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { DispatchView } from '../../src/contract/dispatch.ts'
import type { RuntimesView } from '../../src/contract/supervisor.ts'
import { createRanch, DISPATCHED, type Ranch } from '../support/supervisor/ranch.ts'
import { waitFor } from '../support/wait-for.ts'

const QUICK = { dispatch: { settleMs: 300, recheckMs: 500 }, runtime: { reconcileMs: 200 } }

const begin = (ranch: Ranch, name: string, prompt: string) =>
  ranch.world.json<DispatchView>(
    ...['dispatch', name, '--harness', 'claude-code', '--cwd', ranch.directory],
    ...['--prompt', prompt],
  )

const agents = async (ranch: Ranch) =>
  (await ranch.get<RuntimesView>('/runtimes')).runtimes.map(({ agent }) => agent)

const onlyAgents = (ranch: Ranch, ...names: string[]) =>
  waitFor(() => agents(ranch), {
    what: `only ${names.join(', ')} to be registered`,
    until: (found) => found.toSorted().join() === names.toSorted().join(),
    timeoutMs: 30_000,
  })

test('the runtime of a dispatch is forgotten once both have ended, and --all starts the roles alone', async () => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: QUICK })
  await begin(ranch, 'exits', 'Go home. Say: Home. Then exit.')
  await ranch.dispatchIn('exits', 'done')
  await onlyAgents(ranch)
  await begin(ranch, 'stays', 'Say: Done.')
  await ranch.dispatchIn('stays', 'done')
  expect(await agents(ranch)).toEqual(['ranch/stays'])
  const restarted = await ranch.world.trailboss('runtime', 'restart', 'ranch/stays')
  expect(restarted).toMatchObject({ code: 0 })
  await ranch.waitForRuntime('stays', 'ready again', ({ status }) => status === 'ready')
  expect(await ranch.world.trailboss('dispatch', 'stop', 'stays')).toMatchObject({ code: 0 })
  const { stdout } = await ranch.world.trailboss('runtime', 'start', '--all')
  expect(stdout).toMatch(/^ranch\/hand is starting\b.*\n$/)
  await onlyAgents(ranch, 'ranch/hand')
  expect(await ranch.world.json('stats')).toMatchObject({ supervisor: { runtimes: { total: 1 } } })
})

test('whatever it was at when it was stopped, a dispatch leaves nothing in the queue', async () => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: QUICK })
  ranch.setFaults(DISPATCHED, { slowMs: 200, workMs: 600_000 })
  for (const [index, pauseMs] of [0, 400, 900].entries()) {
    await begin(ranch, `early-${index}`, 'Go on.')
    await delay(pauseMs)
    await ranch.world.trailboss('dispatch', 'stop', `early-${index}`)
    await onlyAgents(ranch)
  }
  const { triggers } = await ranch.get<{ triggers: { state: string }[] }>('/triggers?state=open')
  expect(triggers).toEqual([])
  const items = await ranch.world.queue()
  expect(items.filter(({ harness }) => harness === 'trailboss')).toEqual([])
})

test('what failed for a runtime that is deregistered is not in the queue any more', async () => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: QUICK })
  await ranch.post('/runtimes/register', { agent: 'ranch/hand' })
  const { id } = await ranch.trigger('hand', 'Nobody hears this.')
  await ranch.settled(id)
  await ranch.world.waitForQueue('the trigger', (items) =>
    items.some(({ session }) => session === `trigger-${id}`),
  )
  expect(await ranch.world.trailboss('runtime', 'deregister', 'ranch/hand')).toMatchObject({
    code: 0,
  })
  await ranch.world.waitForQueue('nothing', (items) => items.length === 0)
  await ranch.world.killDaemon9()
  await ranch.world.up()
  expect(await ranch.world.queue()).toEqual([])
})
