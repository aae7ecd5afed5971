import type { DatabaseSync } from 'node:sqlite'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import {
  createDispatchScene,
  type DispatchScene,
} from '../../test/support/supervisor/dispatch-scene.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import type { DispatchesView, DispatchLogsView, DispatchView } from '../contract/dispatch.ts'
import { TrailBossError } from '../core/errors.ts'
import type { Dispatch } from '../core/supervisor/dispatch/dispatch.ts'
import { problemResponse } from '../service/problem.ts'
import { saveDispatch } from '../store/tables/dispatches.ts'
import { listRuntimes, saveRuntime } from '../store/tables/runtimes.ts'
import { listTriggers } from '../store/tables/triggers.ts'
import { notSupervised } from './context/not-supervised.ts'
import { dispatchRoutes } from './dispatch-routes.ts'
import type { Supervisor } from './supervisor.ts'

const askOf = ({ supervisor }: Pick<DispatchScene, 'supervisor'>) => {
  const app = new Hono().onError(problemResponse)
  app.route(
    '/',
    dispatchRoutes(() => supervisor as Supervisor),
  )
  return async <T>(path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const post = body && { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await app.request(path, post || {})
    return { status: response.status, body: (await response.json()) as T }
  }
}

const fenceIn = ({ directory }: DispatchScene) => ({
  name: 'fence',
  harness: 'claude-code',
  cwd: directory,
  prompt: 'Mend it.\nAll of it.',
})

const ended = (scene: Pick<DispatchScene, 'supervisor'>, name = 'fence') =>
  waitFor(() => scene.supervisor.dispatches.require(name), {
    what: `${name} to have ended`,
    until: ({ endedAt }) => endedAt !== undefined,
  })

describe('dispatches over HTTP', () => {
  test.each([
    [undefined, 'ranch/judge'],
    [null, null],
    ['critic', 'ranch/critic'],
  ])('with %j for a reviewer, where the workspace has one, %j reviews', async (reviewer, by) => {
    await using scene = createDispatchScene({ reviewer: 'judge' })
    const body = { ...fenceIn(scene), ...(reviewer !== undefined && { reviewer }) }
    const made = await askOf(scene)<DispatchView>('/dispatches', body)
    expect(made).toMatchObject({ status: 202, body: { reviewer: by } })
    await ended(scene)
  })

  test('one is made, followed to its end with its review, and logged', async () => {
    await using scene = createDispatchScene()
    const ask = askOf(scene)
    const made = await ask<DispatchView>('/dispatches', {
      ...fenceIn(scene),
      reviewer: 'judge',
      by: 'ana',
    })
    expect(made).toMatchObject({
      status: 202,
      body: { agent: 'ranch/fence', policy: 'escalate', reviewer: 'ranch/judge', endedAt: null },
    })
    await ended(scene)
    const { body } = await ask<DispatchesView>('/dispatches?name=fence')
    expect(body.dispatches).toEqual([
      expect.objectContaining({ state: 'done', result: 'Done.', review: 'Done.', why: null }),
    ])
    expect((await ask<DispatchesView>('/dispatches?running=1')).body.dispatches).toEqual([])
    expect(scene.done).toEqual([
      'start ranch/fence',
      'send ranch/fence',
      'start ranch/judge',
      'send ranch/judge',
    ])
    const logs = await ask<DispatchLogsView>('/dispatches/logs?name=fence')
    expect(logs.body.lines.map(({ kind, actor }) => [kind, actor])).toEqual([
      ['runtime_registered', 'operator:ana'],
      ['dispatch_started', 'operator:ana'],
      ['dispatch_ended', 'trailboss'],
    ])
  })

  test('what cannot be done is refused with its code', async () => {
    await using scene = createDispatchScene()
    const ask = askOf(scene)
    const codeOf = async (path: string, body?: unknown) =>
      (await ask<{ code: string }>(path, body)).body.code
    const fence = fenceIn(scene)
    expect(await codeOf('/dispatches', { ...fence, prompt: '\x1b[31m \x07' })).toBe('BAD_REQUEST')
    expect(await codeOf('/dispatches', { ...fence, prompt: 'x'.repeat(70_000) })).toBe('TOO_LARGE')
    for (const name of ['Fence', 'a b', '-x', 'status', 'x'.repeat(41)]) {
      expect(await codeOf('/dispatches', { ...fence, name })).toBe('BAD_REQUEST')
    }
    expect(await codeOf('/dispatches', { ...fence, name: 'judge' })).toBe('ALREADY_THERE')
    expect(await codeOf('/dispatches', { ...fence, cwd: '/' })).toBe('FORBIDDEN_DIRECTORY')
    expect(await codeOf('/dispatches', { ...fence, harness: 'emacs' })).toBe('BAD_CONFIG')
    expect(await codeOf('/dispatches', { ...fence, reviewer: 'nobody' })).toBe('NOT_FOUND')
    expect(await codeOf('/dispatches', { ...fence, more: 1 })).toBe('BAD_REQUEST')
    expect(await codeOf('/dispatches?name=nobody')).toBe('NOT_FOUND')
    expect(await codeOf('/dispatches/logs')).toBe('BAD_REQUEST')
    expect(await codeOf('/dispatches/stop', { name: 'nobody' })).toBe('NOT_FOUND')
    expect(scene.supervisor.dispatches.list()).toEqual([])

    await ask('/dispatches', fence)
    expect(await codeOf('/dispatches', fence)).toBe('ALREADY_THERE')
    await ended(scene)
    expect(await codeOf('/dispatches', fence)).toBe('ALREADY_THERE')
    expect(await codeOf('/dispatches/accept', { name: 'fence' })).toBe('TOO_LATE')
  })

  test('one that has said nothing yet cannot be accepted as done', async () => {
    await using scene = createDispatchScene()
    const ask = askOf(scene)
    await ask('/dispatches', fenceIn(scene))
    const done = await ended(scene)
    const { db } = scene.supervisor.context
    const silent: Dispatch = { ...done, state: 'working', endedAt: undefined, result: undefined }
    saveDispatch(db, silent)
    const refused = await ask('/dispatches/accept', { name: 'fence' })
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'TOO_LATE',
        detail: expect.stringContaining('said nothing'),
        hint: expect.stringContaining('trailboss dispatch stop fence'),
      },
    })
    expect(scene.supervisor.dispatches.require('fence').state).toBe('working')
  })

  test('one that cannot be started has failed, and says why', async () => {
    const cannotStart = new TrailBossError('HARNESS_MISSING', 'It is not installed.')
    await using scene = createDispatchScene({ cannotStart })
    const ask = askOf(scene)
    const refused = await ask<{ code: string }>('/dispatches', fenceIn(scene))
    expect(refused).toMatchObject({ status: 409, body: { code: 'HARNESS_MISSING' } })
    expect(scene.supervisor.dispatches.require('fence')).toMatchObject({
      state: 'failed',
      why: 'It is not installed.',
    })
    expect(scene.done).toEqual([])
  })

  test('one that is stopped is stopped at once', async () => {
    await using scene = createDispatchScene()
    const ask = askOf(scene)
    await scene.supervisor.dispatches.create({ ...fenceIn(scene), by: 'ana' })
    const { body } = await ask<DispatchView>('/dispatches/stop', { name: 'fence' })
    expect(body).toMatchObject({ state: 'stopped', endedAt: expect.any(Number) })
  })

  test('one whose agent has failed for good is cleared away when it is stopped', async () => {
    await using scene = createDispatchScene()
    await askOf(scene)('/dispatches', fenceIn(scene))
    const done = await ended(scene)
    const db = scene.snapshot()
    saveDispatch(db, { ...done, state: 'failed' })
    for (const runtime of listRuntimes(db)) {
      saveRuntime(db, { ...runtime, status: 'given-up', pane: undefined })
    }
    await using later = createDispatchScene({ db, directory: scene.directory })
    const ask = askOf(later)
    expect(await ask('/dispatches/stop', { name: 'fence' })).toMatchObject({
      body: { state: 'failed', pane: null },
    })
    expect(listRuntimes(db)).toEqual([])
    expect(await ask('/dispatches/stop', { name: 'fence' })).toMatchObject({
      status: 409,
      body: {
        code: 'TOO_LATE',
        detail: expect.stringContaining('nothing of its agent is left'),
        hint: expect.stringContaining('trailboss dispatch logs fence'),
      },
    })
  })

  test('its conversation can be found after its agent is gone', async () => {
    await using scene = createDispatchScene()
    const ask = askOf(scene)
    await ask('/dispatches', { ...fenceIn(scene), reviewer: 'judge' })
    await ended(scene)
    await ask('/dispatches/stop', { name: 'fence' })
    const { body } = await ask<DispatchesView>('/dispatches?name=fence')
    expect(listRuntimes(scene.supervisor.context.db).map(({ agentId }) => agentId)).toEqual([
      'ranch/judge',
    ])
    expect(body.dispatches).toMatchObject([{ state: 'done', pane: null, session: 'ses-fence' }])
  })

  test('they do not exist without a workspace', async () => {
    const app = new Hono().onError(problemResponse)
    app.route(
      '/',
      dispatchRoutes(() => {
        throw notSupervised()
      }),
    )
    const response = await app.request('/dispatches')
    expect(await response.json()).toMatchObject({ code: 'NOT_SUPERVISED' })
  })
})

test('whatever came last before the daemon was killed, nothing is done twice and everything is done', async () => {
  await using scene = createDispatchScene()
  const found: { when: string; db: DatabaseSync }[] = []
  let acts = 0
  scene.around = (act) => {
    found.push({ when: `${acts} ${act}`, db: scene.snapshot() })
    acts++
  }
  await scene.supervisor.dispatches.create({
    ...fenceIn(scene),
    reviewer: 'judge',
    by: 'operator:ana',
  })
  await ended(scene)
  expect(found.map(({ when }) => when)).toHaveLength(8)

  for (const { when, db } of found) {
    await using next = createDispatchScene({ db, directory: scene.directory })
    next.supervisor.dispatches.recover()
    expect(await ended(next), when).toMatchObject({
      state: 'done',
      result: 'Done.',
      review: 'Done.',
    })
    const sent = listTriggers(db).map(({ agentId }) => agentId)
    expect(sent, when).toEqual(['ranch/fence', 'ranch/judge'])
  }
})
