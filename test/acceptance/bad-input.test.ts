import { describe, expect } from 'vitest'
import type { Problem } from '../../src/contract/responses.ts'
import type { World } from '../support/create-world.ts'
import type { HttpRequest } from '../support/http.ts'
import { waitFor } from '../support/wait-for.ts'
import { test as base } from '../support/world.ts'

// Looks at the panes in quick succession: what a second look would change, changes.
const test = base.override({ worldOptions: { config: { reconcileMs: 400 } } })

const event = {
  v: 1,
  kind: 'stuck',
  harness: 'my-agent',
  session: 's1',
  at: 1,
  source: 'api',
  reason: 'stopped',
}

const post = (body: unknown, headers: Record<string, string> = {}): HttpRequest => ({
  method: 'POST',
  body,
  headers,
})

/** Only the beginning is sent: who is refused early may not get to read why while still writing. */
const announced = (bytes: number): HttpRequest => post('{"v":1,', { 'content-length': `${bytes}` })

const nested = (depth: number): unknown =>
  JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
const deep = { text: 'x', input: nested(40) }
const bottomless = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

const REFUSED: [string, string, HttpRequest, number][] = [
  ['text that is not JSON', '/event', post('{"v":1,'), 400],
  ['an empty body', '/event', post(''), 400],
  ['a JSON null', '/event', post('null'), 400],
  ['an array', '/event', post([1, 2, 3]), 400],
  ['a number', '/event', post('42'), 400],
  ['bytes that are not UTF-8', '/event', post(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22])), 400],
  ['arrays nested 100,000 deep', '/event', post(bottomless), 400],
  ['arrays nested 100,000 deep in an event', '/v1/events', post(bottomless), 400],
  ['an event nested 40 deep', '/v1/events', post({ ...event, ask: deep }), 400],
  ['an envelope with a wrong-typed time', '/event', post({ ...hook('Stop'), at: 'now' }), 400],
  [
    'an envelope with a harness that is no name',
    '/event',
    post({ ...hook('Stop'), harness: '../x' }),
    400,
  ],
  ['a payload without a session', '/event', post({ ...hook('Stop'), payload: {} }), 400],
  ['a payload that is text', '/event', post({ ...hook('Stop'), payload: 'Stop' }), 400],
  ['a session that is an object', '/event', post(hook('Stop', { session_id: { a: 1 } })), 400],
  ['a body of 17 MB', '/event', announced(17 * 1024 * 1024), 413],
  ['an event of 300 KB', '/v1/events', announced(300 * 1024), 413],
  ['an event of another version', '/v1/events', post({ ...event, v: 2 }), 400],
  ['an event with a third reason', '/v1/events', post({ ...event, reason: 'bored' }), 400],
  ['an event with a time that is no number', '/v1/events', post({ ...event, at: 'x' }), 400],
  ['an event with a negative time', '/v1/events', post({ ...event, at: -1 }), 400],
  ['an event with an empty session', '/v1/events', post({ ...event, session: '' }), 400],
  [
    'an event with a pane that is a name',
    '/v1/events',
    post({ ...event, pane: { socket: '/s', id: 'work:1' } }),
    400,
  ],
  ['a form', '/event', post('a=b', { 'content-type': 'application/x-www-form-urlencoded' }), 415],
  ['a skip of an unknown session', '/skip', post({ session: 'nobody' }), 404],
  ['a path that is not there', '/nowhere', {}, 404],
  ['a method that is not there', '/event', { method: 'DELETE' }, 404],
]

describe('bad input', () => {
  test('is refused with a problem body, stores nothing, and the daemon lives', async ({
    world,
  }) => {
    await accepted(world, '/v1/events', { ...event, session: 'before', at: Date.now() })
    const before = (await world.http('/queue')).text
    const pid = await world.daemonPid()
    for (const [what, path, request, status] of REFUSED) {
      const answer = await world.http(path, request)
      expect([what, answer.status], answer.text).toEqual([what, status])
      expect(answer.headers['content-type'], what).toContain('application/problem+json')
      const problem = JSON.parse(answer.text) as Problem
      expect(problem, what).toMatchObject({ status, code: expect.any(String) })
      expect(problem.detail.length, what).toBeGreaterThan(0)
    }
    expect((await world.http('/queue')).text).toBe(before)
    expect(await world.sessions()).toHaveLength(1)
    expect(await world.daemonPid()).toBe(pid)
  })

  test('unknown hook names, kinds and fields are recorded and ignored', async ({ world }) => {
    await accepted(world, '/event', hook('Stop', { brand_new_field: { deep: [1] } }))
    await accepted(world, '/event', hook('FlyToTheMoon', { altitude: 384_400 }))
    await accepted(world, '/event', { ...hook('Stop', { session_id: 's2' }), colour: 'red' })
    await accepted(world, '/v1/events', { ...event, session: 's3', kind: 'levitated' })
    const sessions = (await world.queue()).map(({ session }) => session)
    expect(sessions).toEqual(['s1', 's2'])
  })

  test('a hook with a deeply nested tool input still tells what it asks', async ({ world }) => {
    const body = JSON.stringify(
      hook('PermissionRequest', { tool_name: 'mcp__x__y', tool_input: 0 }),
    )
    await accepted(world, '/event', body.replace('"tool_input":0', `"tool_input":${bottomless}`))
    const [item] = await world.queue()
    expect(item).toMatchObject({ session: 's1', reason: 'permission', ask: { tool: 'mcp__x__y' } })
    expect(item?.ask).not.toHaveProperty('input')
  })

  test('an event for a pane that does not exist, or without a pane, is listed as having none', async ({
    world,
  }) => {
    const tmux = `${world.tmux.socket},${world.tmux.pid},0`
    await accepted(world, '/event', {
      ...hook('Stop', { session_id: 'ghost' }),
      tmux,
      pane: '%999',
    })
    await accepted(world, '/event', hook('Stop', { session_id: 'nowhere' }))
    await world.waitForQueue('both to be listed without a pane', (q) =>
      q.every(({ pane }) => pane === null),
    )
    await tmuxLooks(world, 3)
    expect(await world.queue()).toMatchObject([
      { session: 'ghost', pane: null },
      { session: 'nowhere', pane: null },
    ])

    const home = await world.operator.pane()
    await world.operator.pressToBeTold(/pane/, 'C-b', 'Tab')
    expect(await world.operator.pane()).toEqual(home)
    expect((await world.http('/next')).text.trim()).toBe('')
  })

  test('a session of which only the pane is known leaves when that pane is closed', async ({
    world,
  }) => {
    const id = await world.tmux.run('new-window', '-d', '-P', '-F', '#{pane_id}', 'exec sh')
    const pane = { socket: world.tmux.socket, id }
    await accepted(world, '/v1/events', { ...event, at: Date.now(), pane })
    await world.waitForQueue('its pane to be found', ([item]) => item?.pane?.id === id)
    await tmuxLooks(world, 2)
    await world.tmux.run('kill-pane', '-t', id)
    await world.waitForQueue('it to leave', (q) => q.length === 0)
  })
})

function hook(name: string, fields: Record<string, unknown> = {}) {
  const payload = { session_id: 's1', cwd: '/', hook_event_name: name, ...fields }
  return { v: 1, harness: 'claude-code', at: Date.now(), entrypoint: 'cli', payload }
}

/** The daemon projects into tmux at each of its looks at the panes. */
async function tmuxLooks(world: World, times: number): Promise<void> {
  const beat = () => world.tmux.run('show-options', '-gqv', '@trailboss_beat')
  for (let look = 0; look < times; look++) {
    const before = await beat()
    await waitFor(beat, { what: 'another look of the daemon', until: (now) => now !== before })
  }
}

async function accepted(world: World, path: string, body: unknown): Promise<void> {
  const { status, text } = await world.http(path, post(body))
  expect(status, text).toBeLessThan(300)
}
