import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appParts } from '../../../test/support/daemon/app-parts.ts'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import type { DismissView, ExplainView, Problem, SkipView } from '../../contract/responses.ts'
import { createApp } from '../http/app.ts'

let world: TestHerd
let app: ReturnType<typeof createApp>
beforeEach(() => {
  world = createTestHerd()
  app = createApp(appParts(world), { kind: 'unix' })
})
afterEach(() => world[Symbol.dispose]())

function hook(session: string, name: string, cwd = '/src/other'): void {
  const payload = { session_id: session, hook_event_name: name, cwd, reason: 'other' }
  world.ingest.hook({ v: 1, harness: 'claude-code', at: Date.now(), payload }, 'live')
}

async function explained(target: string): Promise<string> {
  const response = await app.request(`/explain?${new URLSearchParams({ target })}`)
  return ((await response.json()) as ExplainView).session
}

async function post<View>(path: string, body: object): Promise<View & Problem> {
  const headers = { 'content-type': 'application/json' }
  const response = await app.request(path, { method: 'POST', body: JSON.stringify(body), headers })
  return (await response.json()) as View & Problem
}

test('what the queue calls an item goes before the beginning of an id', async () => {
  hook('core-5', 'Stop')
  hook('aaaa-1', 'Stop', '/src/core')
  expect(await explained('core')).toBe('aaaa-1')
  expect(await explained('core-')).toBe('core-5')
})

test('an id in full goes before a name, a beginning before what does not wait', async () => {
  hook('core', 'Stop')
  hook('aaaa-1', 'Stop', '/src/core')
  expect(await explained('core')).toBe('core')
  hook('webs-5', 'Stop')
  hook('aaaa-2', 'UserPromptSubmit', '/src/webs')
  expect(await explained('webs')).toBe('webs-5')
})

test('what has ended never stands in the way of what lives', async () => {
  hook('core-5', 'SessionEnd')
  hook('core', 'SessionEnd')
  hook('aaaa-1', 'Stop', '/src/core')
  expect(await explained('core')).toBe('aaaa-1')
  hook('aaaa-9', 'SessionEnd')
  expect(await explained('aaaa')).toBe('aaaa-1')
  expect(await explained('core-')).toBe('core-5')
})

test('what is taken back was dismissed, whatever else is called that', async () => {
  hook('aaaa-1', 'Stop', '/src/core')
  expect(await post<DismissView>('/dismiss', { target: 'core' })).toMatchObject({
    dismissed: { session: 'aaaa-1' },
  })
  hook('aaaa-2', 'Stop', '/src/core')
  expect(await post<DismissView>('/dismiss', { target: 'core', undo: true })).toMatchObject({
    dismissed: { session: 'aaaa-1' },
  })
  expect(world.queue()).toEqual(['aaaa-1', 'aaaa-2'])
})

test('what comes back from a skip was skipped, whatever else is called that', async () => {
  hook('aaaa-1', 'Stop', '/src/core')
  await post<SkipView>('/skip', { target: 'core', cooldownMs: 60_000 })
  hook('aaaa-2', 'Stop', '/src/core')
  expect(await post<SkipView>('/skip', { target: 'core', undo: true })).toMatchObject({
    skipped: { session: 'aaaa-1', ready: true },
  })
})

test('an id in full is that session, whatever else begins with it', async () => {
  for (const id of ['run-4', 'run-42']) hook(id, 'Stop')
  await post<DismissView>('/dismiss', { target: 'run-42' })
  await post<DismissView>('/dismiss', { target: 'run-4', undo: true })
  expect(world.queue()).toEqual(['run-4'])
  hook('run-4', 'SessionEnd')
  expect(await explained('run-4')).toBe('run-4')
})

test('a key is a key, also if another id looks like it', async () => {
  for (const id of ['run-4', 'claude-code:run-4']) hook(id, 'Stop')
  expect(await explained('claude-code:run-4')).toBe('run-4')
})

test('two that are called the same are taken back by their ids', async () => {
  for (const id of ['aaaa-1', 'aaaa-2']) {
    hook(id, 'Stop', '/src/core')
    await post<DismissView>('/dismiss', { target: id })
  }
  expect(await post<DismissView>('/dismiss', { target: 'core', undo: true })).toMatchObject({
    code: 'AMBIGUOUS',
  })
  await post<DismissView>('/dismiss', { target: 'aaaa-1', undo: true })
  expect(world.queue()).toEqual(['aaaa-1'])
})

test.each<[string, (target: string) => Promise<unknown>]>([
  ['explain', explained],
  ['skip', (target) => post('/skip', { target })],
  ['dismiss', (target) => post('/dismiss', { target })],
  ['wait', async (target) => (await app.request(`/wait?for=stuck&target=${target}`)).json()],
])('%s knows a branch that nobody has looked at yet', async (_, answer) => {
  // It does not wait for a slow file system: on a busy machine one first look may be too late, but not each.
  const isKnown = async (branch: string) => {
    const cwd = join(world.dir, `in-${branch}`)
    execFileSync('git', ['init', '-q', '-b', branch, cwd])
    hook(`${branch}-session`, 'Stop', cwd)
    return JSON.stringify(await answer(branch)).includes(`"${branch}-session"`)
  }
  const first = ['one', 'two', 'red', 'fix', 'new']
  let found = false
  for (const branch of first) found ||= await isKnown(branch)
  expect(found).toBe(true)
})
