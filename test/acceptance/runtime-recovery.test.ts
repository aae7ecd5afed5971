import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AuditView, RuntimeView } from '../../src/contract/supervisor.ts'
import type { AuditLine } from '../../src/core/audit.ts'
import { isAlive } from '../support/processes.ts'
import { createRanch, patient, type Ranch, scaled } from '../support/supervisor/ranch.ts'
import { TMUX } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-recovery-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test.each([
  ['process', (_: Ranch, pid: number) => void process.kill(pid, 'SIGKILL')],
  ['pane', ({ world }: Ranch, _: number, pane: string) => world.tmux.run('kill-pane', '-t', pane)],
] as const)('a killed %s comes back by itself, with the session that it had', async (_, kill) => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: patient(scaled(10)) })
  await ranch.start('hand')
  await ranch.settled((await ranch.trigger('hand', 'Before.')).id)
  const before = await ranch.runtime('hand')
  if (!before.pane || before.pid === null) throw new Error('it has no pane')
  await kill(ranch, before.pid, before.pane.id)

  const after = await ranch.waitForRuntime(
    'hand',
    'back',
    ({ status, pane, session }) =>
      status === 'ready' && pane?.pid !== before.pane?.pid && session !== null,
  )
  expect(after).toMatchObject({ runtimeId: before.runtimeId, session: before.session })
  expect(after.failures).toHaveLength(1)
  await ranch.settled((await ranch.trigger('hand', 'After.')).id)
  expect(ranch.submitted('hand')).toHaveLength(2)
  expect(ranch.log('hand').filter(({ resumed }) => resumed)).toHaveLength(1)
  expect(await audited(ranch, 'runtime_restarted')).toMatchObject([{ detail: 'resume' }])

  await ranch.post('/runtimes/stop', { agent: 'ranch/hand' })
  await ranch.waitForRuntime('hand', 'stopped', ({ status }) => status === 'stopped')
  await ranch.world.waitForQueue('nothing of what was stopped', (items) => items.length === 0)
})

test('a trigger that waits outlasts a restart of its agent', async () => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: patient(scaled(10)) })
  const { pid } = await ranch.start('hand')
  ranch.setFaults('hand', { shows: 'dialog' })
  const { id } = await ranch.trigger('hand', 'Ride on.')
  await ranch.post('/runtimes/restart', { agent: 'ranch/hand' })
  await waitFor(() => isAlive(pid ?? 0), { what: 'its process to end', until: (alive) => !alive })
  ranch.setFaults('hand', {})
  expect(await ranch.settled(id)).toMatchObject({ state: 'delivered' })
  expect(ranch.submitted('hand')).toEqual([expect.stringContaining('Ride on.')])
})

test('what exits at once is started again three times, has failed for good, and is the operator’s', async () => {
  await using ranch = await createRanch({
    roles: [],
    otherRoles: broken(),
    supervisor: patient(scaled(20)),
  })
  await ranch.post('/runtimes/start', { agent: 'ranch/broken' })
  const failed = await givenUp(ranch)
  expect(launches()).toBe(4)
  expect(failed.failures).toHaveLength(4)
  const item = `runtime-${failed.runtimeId}`
  const [listed] = await ranch.world.waitForQueue(
    'the runtime, in the pane of its last words',
    (items) => items.some(({ session, pane }) => session === item && pane?.id === failed.pane?.id),
  )
  expect(listed?.ask?.text).toContain('trailboss runtime start ranch/broken')
  expect(await audited(ranch, 'runtime_failed')).toHaveLength(1)

  // Until it was seen that the queue is empty, it does not fail again.
  writeFileSync(join(dir, 'hold'), '')
  await ranch.post('/runtimes/start', { agent: 'ranch/broken' })
  await ranch.world.waitForQueue('nothing', (items) => items.length === 0)
  rmSync(join(dir, 'hold'))
  await givenUp(ranch)
  expect(launches()).toBe(8)
})

test('the budget of restarts survives kill -9', async () => {
  const settings = scaled(20)
  const restart = { ...(settings['restart'] as object), backoffMs: [100, 5_000] }
  await using ranch = await createRanch({
    roles: [],
    otherRoles: broken(),
    supervisor: { ...settings, restart },
  })
  await ranch.post('/runtimes/start', { agent: 'ranch/broken' })
  await ranch.waitForRuntime('broken', 'failed twice', ({ failures }) => failures.length === 2)
  await ranch.world.killDaemon9()
  await ranch.world.up()
  await givenUp(ranch)
  expect(launches()).toBe(4)
})

test('an agent that ends as it should has not failed: it is stopped, and stays so', async () => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: patient(scaled(20)) })
  const { pane } = await ranch.start('hand')
  await ranch.world.tmux.run('send-keys', '-t', pane?.id ?? '', 'C-c')
  const stopped = await ranch.waitForRuntime('hand', 'stopped', isStopped)
  expect(stopped).toMatchObject({ failures: [], wantsRunning: false, pane: null })
  expect(await audited(ranch, 'runtime_restarted')).toEqual([])
  expect(await ranch.world.queue()).toEqual([])
})

test('stop asks it to end, and closes nothing but its own pane', async () => {
  const supervisor = patient(scaled(20))
  await using ranch = await createRanch({ roles: ['hand', 'other'], supervisor })
  const { tmux } = ranch.world
  const { pid, pane } = await ranch.start('hand')
  const other = await ranch.start('other')
  const print = ['-d', '-P', '-F', '#{pane_id}']
  const beside = await tmux.run('split-window', '-t', pane?.id ?? '', ...print, 'sleep 1000')
  await ranch.post('/runtimes/stop', { agent: 'ranch/hand', by: 'ada' })
  await ranch.waitForRuntime('hand', 'stopped', isStopped)

  expect(ranch.log('hand').at(-1)).toMatchObject({ kind: 'typed', text: '\x03' })
  expect(isAlive(pid ?? 0)).toBe(false)
  const panes = (await tmux.run('list-panes', '-a', '-F', '#{pane_id}')).split('\n')
  expect(panes).toEqual(expect.arrayContaining([beside, other.pane?.id]))
  expect(panes).not.toContain(pane?.id)
  expect(await ranch.runtime('other')).toMatchObject({ status: 'ready', pid: other.pid })
  expect(await audited(ranch, 'runtime_stopped')).toMatchObject([{ actor: 'operator:ada' }])
})

test('one that does not end when it is asked to is ended with its pane, and nobody else', async () => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: scaled(10) })
  const { tmux } = ranch.world
  const { pid, pane } = await ranch.start('hand')
  const print = ['-d', '-P', '-F', '#{pane_id}']
  const beside = await tmux.run('split-window', '-t', pane?.id ?? '', ...print, 'sleep 1000')
  ranch.setFaults('hand', { isStubborn: true })
  await ranch.post('/runtimes/stop', { agent: 'ranch/hand' })
  await ranch.waitForRuntime('hand', 'stopped', isStopped)

  expect(isAlive(pid ?? 0)).toBe(false)
  expect(await tmux.run('list-panes', '-a', '-F', '#{pane_id}')).toContain(beside)
  expect(await audited(ranch, 'key_pressed')).not.toEqual([])
  expect(await audited(ranch, 'pane_closed')).toMatchObject([{ result: 'ok' }])
})

test('the next one is not started before the last one has ended, although its pane is gone', async () => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: scaled(5) })
  const { pid, pane } = await ranch.start('hand')
  ranch.setFaults('hand', { isStubborn: true })
  await ranch.world.tmux.run('kill-pane', '-t', pane?.id ?? '')
  const starts = () => ranch.log('hand').filter(({ kind }) => kind === 'started')
  let seenAliveAt = 0
  const look = () => {
    const now = Date.now()
    if (isAlive(pid ?? 0)) seenAliveAt = now
    return starts()
  }
  const [, next] = await waitFor(look, {
    what: 'the next one to be started',
    until: ({ length }) => length === 2,
  })
  expect(seenAliveAt).toBeGreaterThan(0)
  expect(next?.at).toBeGreaterThan(seenAliveAt)
  ranch.setFaults('hand', {})
})

test('only what does not run can be deregistered, and then it is unknown', async () => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: scaled(20) })
  await ranch.start('hand')
  const deregister = () =>
    ranch.world.http('/runtimes/deregister', { method: 'POST', body: { agent: 'ranch/hand' } })
  expect((await deregister()).text).toContain('"TOO_LATE"')
  await ranch.post('/runtimes/stop', { agent: 'ranch/hand' })
  await ranch.waitForRuntime('hand', 'stopped', isStopped)
  expect((await deregister()).status).toBe(200)
  expect(await ranch.get('/runtimes')).toEqual({ runtimes: [] })
  const body = { agent: 'ranch/hand', reason: 'test', text: 'Hello.' }
  expect((await ranch.world.http('/triggers', { method: 'POST', body })).status).toBe(404)
  expect(await audited(ranch, 'runtime_deregistered')).toHaveLength(1)
})

test('a tmux that does not answer is no death: nothing is started, and the trigger waits', async () => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: patient(scaled(10)) })
  const { tmux } = ranch.world
  const before = await ranch.start('hand')
  process.kill(tmux.pid, 'SIGSTOP')
  try {
    const { id } = await ranch.trigger('hand', 'Hello.')
    // Each look takes two seconds to give up.
    await delay(5_000)
    expect(await ranch.triggerOf(id)).toMatchObject({ settledAt: null, pastes: 0 })
    expect(await ranch.runtime('hand')).toMatchObject({ status: 'ready', failures: [] })
    process.kill(tmux.pid, 'SIGCONT')
    expect(await ranch.settled(id)).toMatchObject({ state: 'delivered', via: 'paste' })
  } finally {
    process.kill(tmux.pid, 'SIGCONT')
  }
  expect(await ranch.runtime('hand')).toMatchObject({ pane: before.pane, failures: [] })
  expect(ranch.submitted('hand')).toHaveLength(1)
  expect(await audited(ranch, 'runtime_restarted')).toEqual([])
})

test('a tmux that has ended takes nothing with it but the panes: none is started for them, and all is there again in the next one', async () => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: scaled(10) })
  const { world } = ranch
  await ranch.start('hand')
  await ranch.settled((await ranch.trigger('hand', 'Before.')).id)
  const before = await ranch.runtime('hand')
  ranch.setFaults('hand', { shows: 'dialog' })
  const { id } = await ranch.trigger('hand', 'After.')
  const daemon = await world.daemonPid()
  process.kill(world.tmux.pid, 'SIGKILL')
  ranch.setFaults('hand', {})
  await waitFor(() => ranch.runtime('hand'), {
    what: 'its pane to be missed',
    until: ({ status }) => status === 'offline',
  })
  expect(await world.daemonPid()).toBe(daemon)
  expect((await world.tmux.try('list-sessions')).code).toBe(1)
  await world.tmux.run('new-session', '-d', '-s', 'work', 'exec sh')

  expect(await ranch.settled(id)).toMatchObject({ state: 'delivered' })
  const after = await ranch.runtime('hand')
  expect(after).toMatchObject({ runtimeId: before.runtimeId, session: before.session })
  expect(after.pane?.server).not.toBe(before.pane?.server)
  expect(ranch.submitted('hand')).toHaveLength(2)
})

test('a pane that is killed between claim and write gets nothing, and the trigger goes to the next one', async () => {
  const armed = join(dir, 'armed')
  writeFileSync(
    join(dir, 'tmux'),
    `#!/bin/sh
case " $* " in *' load-buffer '*)
  if rm '${armed}' 2>/dev/null; then
    for word; do case $word in %[0-9]*) '${TMUX}' -S "$3" kill-pane -t "$word"; break ;; esac; done
  fi ;;
esac
exec '${TMUX}' "$@"
`,
    { mode: 0o755 },
  )
  await using ranch = await createRanch({
    roles: ['hand'],
    supervisor: patient(scaled(10)),
    world: { pathFirst: dir },
  })
  const before = await ranch.start('hand')
  writeFileSync(armed, '')
  const { id } = await ranch.trigger('hand', 'Hello.')
  expect(await ranch.settled(id)).toMatchObject({ state: 'delivered', via: 'paste', pastes: 1 })

  expect(existsSync(armed)).toBe(false)
  expect((await ranch.runtime('hand')).pane?.id).not.toBe(before.pane?.id)
  expect(await audited(ranch, 'pane_written')).toMatchObject([
    { result: 'ok' },
    { result: 'refused: gone' },
  ])
  expect(ranch.submitted('hand')).toHaveLength(1)
})

/** A role whose program counts its starts, and ends at once unless it is held. */
function broken(): Record<string, Record<string, unknown>> {
  const hold = `while [ -e '${join(dir, 'hold')}' ]; do sleep 0.1; done`
  const script = `echo started >>'${join(dir, 'starts')}'; ${hold}; exit 3`
  return { broken: { harness: 'claude-code', command: ['/bin/sh', '-c', script] } }
}

function launches(): number {
  return readFileSync(join(dir, 'starts'), 'utf8').trim().split('\n').length
}

function givenUp(ranch: Ranch): Promise<RuntimeView> {
  return ranch.waitForRuntime(
    'broken',
    'given up',
    ({ status, wantsRunning }) => status === 'failed' && !wantsRunning,
  )
}

function isStopped({ status }: RuntimeView): boolean {
  return status === 'stopped'
}

/** Newest first. */
async function audited(ranch: Ranch, kind: AuditLine['kind']): Promise<AuditLine[]> {
  return (await ranch.get<AuditView>(`/audit?kind=${kind}`)).lines
}
