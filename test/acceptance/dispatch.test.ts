import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { DispatchesView, DispatchLogsView, DispatchView } from '../../src/contract/dispatch.ts'
import type { AuditView, RuntimesView, RuntimeView } from '../../src/contract/supervisor.ts'
import {
  createRanch,
  DISPATCHED,
  type Ranch,
  type RanchOptions,
} from '../support/supervisor/ranch.ts'
import { waitFor } from '../support/wait-for.ts'

const QUICK = { dispatch: { settleMs: 300, recheckMs: 500 } }

const ranchWith = (options: Partial<RanchOptions> = {}) =>
  createRanch({ roles: ['judge'], supervisor: QUICK, ...options })

const dispatch = (ranch: Ranch, name: string, prompt: string, ...more: string[]) =>
  ranch.world.json<DispatchView>(
    ...['dispatch', name, '--harness', 'claude-code', '--cwd', ranch.directory],
    ...['--prompt', prompt, ...more],
  )

const audited = async (ranch: Ranch, kind: string) =>
  (await ranch.get<AuditView>(`/audit?kind=${kind}`)).lines

test('a task is launched, validated, done, and its agent stays until it is stopped', async () => {
  await using ranch = await ranchWith()
  const file = join(ranch.directory, 'task.md')
  writeFileSync(file, 'Mend the fence.\n\nSay: The fence is mended.\n')
  const { code, stdout } = await ranch.world.trailboss(
    ...['dispatch', 'fence', '--harness', 'claude-code', '--cwd', ranch.directory],
    ...['--prompt-file', file, '--wait'],
  )
  expect(stdout).toContain('The fence is mended.')
  expect(code).toBe(0)
  expect(ranch.submitted(DISPATCHED)).toEqual([
    expect.stringMatching(/^\[tb:\w{10}\] Mend the fence\.\s+Say: The fence is mended\.$/),
  ])
  const done = await ranch.dispatchIn('fence', 'done')
  expect(done).toMatchObject({
    agent: 'ranch/fence',
    validatedAt: expect.any(Number),
    result: 'The fence is mended.',
    session: expect.any(String),
  })
  const logs = await ranch.world.json<DispatchLogsView>('dispatch', 'logs', 'fence')
  expect(logs.screen).toMatchObject({ live: true, text: expect.stringContaining('is mended') })
  expect(logs.lines.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['dispatch_started', 'pane_written', 'ack_received', 'dispatch_ended']),
  )

  const again = await ranch.world.trailboss(
    ...['dispatch', 'fence', '--harness', 'claude-code', '--cwd', ranch.directory],
    ...['--prompt', 'Again'],
  )
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('dispatch stop fence') })
  expect(await ranch.world.trailboss('dispatch', 'stop', 'fence')).toMatchObject({ code: 0 })
  await waitFor(() => ranch.get<RuntimesView>('/runtimes'), {
    what: 'its runtime to be forgotten',
    until: ({ runtimes }) => runtimes.length === 0,
    timeoutMs: 30_000,
  })
  const { id, session } = done
  expect(await ranch.world.json<DispatchView>('dispatch', 'status', 'fence')).toMatchObject({
    ...{ id, session, pane: null, state: 'done' },
  })
  await dispatch(ranch, 'fence', 'Mend the other fence, too.')
  const second = await ranch.dispatchIn('fence', 'done')
  expect(second.id).not.toBe(done.id)
})

test('a permission is left to the operator, in the queue, and it goes on when he has answered', async () => {
  await using ranch = await ranchWith()
  await dispatch(ranch, 'gate', 'Paint the gate. Ask first.')
  const waiting = await ranch.dispatchIn('gate', 'waiting')
  expect(waiting.ask).toContain('touch fence')
  const items = await ranch.world.queue()
  expect(items).toEqual([
    expect.objectContaining({ session: waiting.session, reason: 'permission' }),
  ])
  const { code, stdout } = await ranch.world.trailboss(
    ...['dispatch', 'wait', 'gate', '--or-waiting', '--json'],
  )
  expect({ code, state: JSON.parse(stdout).state }).toEqual({ code: 1, state: 'waiting' })
  expect(await audited(ranch, 'key_pressed')).toHaveLength(1)

  await ranch.world.tmux.run('send-keys', '-t', waiting.pane?.id ?? '', 'Enter')
  await ranch.dispatchIn('gate', 'done')
})

test('where the workspace says so, a permission is approved by us, and each key is in the audit', async () => {
  await using ranch = await ranchWith({ policy: 'approve' })
  await dispatch(ranch, 'gate', 'Paint the gate. Ask first.')
  await ranch.dispatchIn('gate', 'done')
  expect(ranch.log(DISPATCHED).filter(({ kind }) => kind === 'answered')).toHaveLength(1)
  const pressed = (await audited(ranch, 'key_pressed')).map(({ detail }) => detail)
  expect(pressed.toReversed()).toEqual(['Enter', 'Enter (approve)'])
})

test('a question at the end is no result until it was answered or accepted', async () => {
  await using ranch = await ranchWith()
  await dispatch(ranch, 'hay', 'Look at the hay. Say: Shall I turn it?')
  expect(await ranch.dispatchIn('hay', 'waiting')).toMatchObject({
    ask: 'Shall I turn it?',
    why: 'It asks a question.',
  })
  expect(await ranch.world.trailboss('dispatch', 'accept', 'hay')).toMatchObject({ code: 0 })
  expect(await ranch.dispatchIn('hay', 'done')).toMatchObject({ result: 'Shall I turn it?' })
})

test.each([
  ['works on its task', 'Stay.', 'working', /said nothing yet.*dispatch stop gate/s],
  ['asks', 'Paint the gate. Ask first.', 'waiting', /waits for a permission.*in its pane first/s],
] as const)(
  'one that has said nothing yet is not accepted: it %s',
  async (_, prompt, state, why) => {
    await using ranch = await ranchWith()
    if (state === 'working') ranch.setFaults(DISPATCHED, { workMs: 600_000 })
    await dispatch(ranch, 'gate', prompt)
    await ranch.dispatchIn('gate', state)
    expect(await ranch.world.trailboss('dispatch', 'accept', 'gate')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(why),
    })
    expect(await ranch.dispatchIn('gate', state)).toMatchObject({ state, result: null })
  },
)

test('a program that ends as it should is done; one that is stopped is stopped', async () => {
  await using ranch = await ranchWith()
  await dispatch(ranch, 'exits', 'Go home. Say: Home. Then exit.')
  expect(await ranch.dispatchIn('exits', 'done')).toMatchObject({
    result: expect.stringContaining('Home.'),
  })
  ranch.setFaults(DISPATCHED, { workMs: 600_000 })
  await dispatch(ranch, 'stays', 'Stay.')
  await ranch.dispatchIn('stays', 'working')
  expect(await ranch.world.trailboss('dispatch', 'stop', 'stays')).toMatchObject({ code: 0 })
  expect(await ranch.dispatchIn('stays', 'stopped')).toMatchObject({ state: 'stopped' })
  expect(await ranch.world.trailboss('dispatch', 'wait', 'stays')).toMatchObject({ code: 1 })
})

test('a reviewer is started, told of the result, and heard', async () => {
  await using ranch = await ranchWith()
  await dispatch(ranch, 'barn', 'Sweep the barn.', '--reviewer', 'judge')
  const { result, review } = await ranch.dispatchIn('barn', 'done')
  for (const words of [result, review]) expect(words).toMatch(/^Took \d+ characters\.$/)
  expect(review).not.toBe(result)
  const [asked = ''] = ranch.submitted('judge')
  for (const told of ['ranch/barn', 'Sweep the barn.', `> ${result}`]) expect(asked).toContain(told)
  expect(ranch.submitted('judge')).toHaveLength(1)
})

test('one that nothing can be typed into is told of, and not told of any more once it goes on', async () => {
  const dispatching = { ...QUICK.dispatch, launchMs: 1_000 }
  await using ranch = await ranchWith({ supervisor: { dispatch: dispatching } })
  ranch.setFaults(DISPATCHED, { shows: 'picker' })
  const { id } = await dispatch(ranch, 'stuck', 'Go on.')
  const items = await ranch.world.waitForQueue('the dispatch to be told of', (all) =>
    all.some(({ session, pane }) => session === `dispatch-${id}` && pane !== null),
  )
  expect(items).toEqual([
    expect.objectContaining({
      harness: 'trailboss',
      ask: { text: expect.stringMatching(/no place to type.*\n.*dispatch logs stuck/) },
      pane: expect.objectContaining({ id: expect.any(String) }),
    }),
  ])
  expect(ranch.log(DISPATCHED).filter(({ kind }) => kind === 'misdirected')).toEqual([])
  ranch.setFaults(DISPATCHED, {})
  await ranch.dispatchIn('stuck', 'done')
  expect(await ranch.world.queue()).toEqual([])
})

test('one that never shows a place to type has failed for that, and is cleared away when it is stopped', async () => {
  const supervisor = {
    ...QUICK,
    runtime: { reconcileMs: 200, stopTimeoutMs: 500 },
    delivery: { recheckMs: 200, busyLimitMs: 6_000 },
  }
  await using ranch = await ranchWith({ supervisor })
  ranch.setFaults(DISPATCHED, { shows: 'picker' })
  await dispatch(ranch, 'mute', 'Go on.')
  expect(await ranch.dispatchIn('mute', 'failed')).toMatchObject({
    why: expect.stringMatching(
      /^The task did not arrive\. No place to type was ever seen there\. What is seen: .+\.$/,
    ),
  })
  expect(await ranch.world.trailboss('dispatch', 'stop', 'mute')).toMatchObject({ code: 0 })
  await ranch.world.waitForQueue('nothing', (left) => left.length === 0)
  await waitFor(() => ranch.get<RuntimesView>('/runtimes'), {
    what: 'its runtime to be forgotten',
    until: ({ runtimes }) => runtimes.length === 0,
    timeoutMs: 30_000,
  })
})

test.each([
  ['died', ({ pid }: RuntimeView) => process.kill(pid ?? 0, 'SIGKILL')],
  [
    'lost its pane',
    ({ pane }: RuntimeView, { world }: Ranch) => world.tmux.run('kill-pane', '-t', pane?.id ?? ''),
  ],
] as const)(
  'one whose program %s at its work is started again, and soon waits for a word',
  async (_, kill) => {
    await using ranch = await ranchWith({ supervisor: { ...QUICK, runtime: { reconcileMs: 200 } } })
    ranch.setFaults(DISPATCHED, { workMs: 600_000 })
    const { id } = await dispatch(ranch, 'died', 'Work for long.')
    await ranch.dispatchIn('died', 'working')
    const runtime = await ranch.runtime('died')
    const { pid } = runtime
    ranch.setFaults(DISPATCHED, {})
    await kill(runtime, ranch)
    expect(await ranch.dispatchIn('died', 'waiting')).toMatchObject({
      why: 'It was started again in the middle of its task, and waits for a word.',
    })
    await ranch.world.waitForQueue('the dispatch to be told of', (items) =>
      items.some(({ session }) => session === `dispatch-${id}`),
    )
    const { pane } = await ranch.waitForRuntime(
      'died',
      'ready again',
      (one) => one.status === 'ready' && one.pane?.pid !== pid,
    )
    await ranch.world.tmux.run('send-keys', '-t', pane?.id ?? '', '-l', 'Go on. Say: Worked.')
    await ranch.world.tmux.run('send-keys', '-t', pane?.id ?? '', 'Enter')
    expect(await ranch.dispatchIn('died', 'done')).toMatchObject({ result: 'Worked.' })
    const left = (await ranch.world.queue()).map(({ session }) => session)
    expect(left).not.toContain(`dispatch-${id}`)
  },
)

test('one whose program fails again and again has failed, and nothing of it is left once it is stopped', async () => {
  const supervisor = {
    ...QUICK,
    runtime: { reconcileMs: 200 },
    restart: { backoffMs: [50] },
  }
  await using ranch = await ranchWith({ supervisor })
  ranch.setFaults(DISPATCHED, { dieOn: 'start' })
  const { runtimeId } = await dispatch(ranch, 'broken', 'Go on.')
  expect(await ranch.dispatchIn('broken', 'failed')).toMatchObject({
    why: 'Its runtime has failed for good.',
  })
  const { pane } = await ranch.runtime('broken')
  const items = await ranch.world.queue()
  expect(items.map(({ session }) => session)).toEqual([`runtime-${runtimeId}`])
  expect(items[0]?.ask?.text).toMatch(/dispatch logs broken.*dispatch stop broken$/)
  expect(items[0]?.ask?.text).not.toContain('runtime start')
  const panes = async () =>
    (await ranch.world.tmux.run('list-panes', '-a', '-F', '#{pane_id}')).split('\n')
  expect(await panes()).toContain(pane?.id)

  expect(await ranch.world.trailboss('dispatch', 'stop', 'broken')).toMatchObject({ code: 0 })
  await ranch.world.waitForQueue('nothing', (left) => left.length === 0)
  await waitFor(() => ranch.get<RuntimesView>('/runtimes'), {
    what: 'its runtime to be forgotten',
    until: ({ runtimes }) => runtimes.length === 0,
    timeoutMs: 30_000,
  })
  expect(await panes()).not.toContain(pane?.id)
  expect(await ranch.world.trailboss('dispatch', 'stop', 'broken')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('dispatch logs broken'),
  })
})

test('whenever the daemon is killed, a dispatch ends, and its task was given once', async () => {
  await using ranch = await ranchWith()
  ranch.setFaults(DISPATCHED, { workMs: 1_000 })
  const pauses = [0, 150, 600, 1_200, 2_000]
  for (const [index, pauseMs] of pauses.entries()) {
    const name = `task-${index}`
    await dispatch(ranch, name, `Task ${index}. Say: Done with ${index}.`, '--reviewer', 'judge')
    await delay(pauseMs)
    await ranch.world.killDaemon9()
    await ranch.world.up()
    const done = await ranch.dispatchIn(name, 'done', 'failed')
    expect(done).toMatchObject({ state: 'done', result: `Done with ${index}.` })
    const prompts = ranch.submitted(DISPATCHED).filter((text) => text.includes(`Task ${index}.`))
    expect(prompts).toHaveLength(1)
    const reviews = ranch.submitted('judge').filter((text) => text.includes(`ranch/${name} `))
    expect(reviews).toHaveLength(1)
  }
})

test('what cannot be dispatched is refused with its reason, and nothing is started', async () => {
  await using ranch = await ranchWith()
  const refused = async (...args: string[]) => {
    const { code, stderr } = await ranch.world.trailboss('dispatch', ...args)
    return { code, stderr }
  }
  const task = ['--harness', 'claude-code', '--cwd', ranch.directory, '--prompt', 'Go']
  expect(await refused('a', ...task.slice(0, 4))).toMatchObject({ code: 2 })
  expect(await refused('a', ...task, '--prompt-file', 'x')).toMatchObject({ code: 2 })
  expect(await refused('A b', ...task)).toMatchObject({ code: 2 })
  expect(await refused('judge', ...task)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/trailboss trigger ranch\/judge/),
  })
  expect(await refused('a', ...task, '--reviewer', 'nobody')).toMatchObject({ code: 4 })
  const elsewhere = ['--harness', 'claude-code', '--cwd', '/', '--prompt', 'Go']
  expect(await refused('a', ...elsewhere)).toMatchObject({ code: 5 })
  const missing = ['--harness', 'codex', '--cwd', ranch.directory, '--prompt', 'Go']
  expect(await refused('a', ...missing)).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('not installed'),
  })
  const { dispatches } = await ranch.world.json<DispatchesView>('dispatch', 'status')
  expect(dispatches).toEqual([expect.objectContaining({ name: 'a', state: 'failed' })])
  expect(ranch.log(DISPATCHED)).toEqual([])
})
