import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { ExplainView } from '../../src/contract/responses.ts'
import { createWorld, type World } from '../support/create-world.ts'
import { freePort } from '../support/free-port.ts'
import { http } from '../support/http.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

describe('phase 3: "Synthetic events POSTed to the loopback endpoint produce correct state"', () => {
  test('"a session enters the queue on Stop/PermissionRequest and leaves on UserPromptSubmit"', async ({
    world,
  }) => {
    await hook(world, 's1', '%0', 'Stop', { last_assistant_message: 'Shall I go on?' })
    expect(await world.queue()).toMatchObject([
      { session: 's1', reason: 'stopped', ready: true, ask: { text: 'Shall I go on?' } },
    ])
    await hook(world, 's1', '%0', 'UserPromptSubmit', { prompt: 'yes' })
    expect(await world.queue()).toEqual([])

    const ask = { tool_name: 'Bash', tool_input: { command: 'make' } }
    await hook(world, 's1', '%0', 'PermissionRequest', ask)
    expect(await world.queue()).toMatchObject([{ session: 's1', reason: 'permission' }])
    await hook(world, 's1', '%0', 'UserPromptSubmit', { prompt: 'no, do this instead' })
    expect(await world.queue()).toEqual([])
  })

  test('Notification and SubagentStop alone enqueue nothing', async ({ world }) => {
    await hook(world, 's1', '%0', 'UserPromptSubmit', { prompt: 'go' })
    await hook(world, 's1', '%0', 'SubagentStop', { agent_id: 'a1', agent_type: 'general-purpose' })
    await hook(world, 's1', '%0', 'Notification', {
      message: 'Claude is waiting for your input',
      notification_type: 'idle_prompt',
    })
    expect(await world.queue()).toEqual([])
  })

  test('"a second event with a new pane updates the registry (self-heal)"', async ({ world }) => {
    const moved = await world.tmux.run('new-window', '-d', '-P', '-F', '#{pane_id}', 'exec sh')
    await hook(world, 's1', '%0', 'Stop', { last_assistant_message: 'Here.' })
    await world.waitForQueue('the first pane', ([item]) => item?.pane?.id === '%0')
    await hook(world, 's1', moved, 'Stop', { last_assistant_message: 'There.' })
    await world.waitForQueue('the new pane', ([item]) => item?.pane?.id === moved)
    expect((await world.http('/next')).text.trim()).toBe(moved)
  })

  test('"the reconcile loop dequeues a session whose transcript advanced past its last stuck point"', async ({
    world,
  }) => {
    const transcript = join(world.dir, 't.jsonl')
    writeFileSync(transcript, '')
    const say = (line: object): void =>
      appendFileSync(
        transcript,
        `${JSON.stringify({ sessionId: 's1', timestamp: new Date().toISOString(), ...line })}\n`,
      )
    say({ type: 'assistant', message: { role: 'assistant', stop_reason: 'end_turn', content: [] } })
    await hook(world, 's1', '%0', 'Stop', { transcript_path: transcript })
    await world.waitForQueue('it to be queued', (q) => q.length === 1)
    appendFileSync(transcript, '\0\0{"type":"user","mess{"type":"mode"}\n')
    say({ type: 'user', origin: { kind: 'human' }, message: { role: 'user', content: 'go on' } })
    await world.waitForQueue('it to be dequeued', (q) => q.length === 0)
  })

  test('a session whose transcript is not there yet does not hold up the daemon', async ({
    world,
  }) => {
    const agent = await world.agent('fresh', { prompt: null })
    for (const name of ['1-1.json', '2-2.json']) {
      const file = join(world.state, 'spool', name)
      writeFileSync(file, JSON.stringify(envelope(world, 's1', '%0', 'SessionStart')))
      await waitFor(() => !existsSync(file), { what: `a sweep to take in ${name}` })
    }
    expect((await world.sessions())[0]).toMatchObject({ session: agent.session, state: 'unknown' })
  })

  test('"GET /next returns the oldest-ready pane id", as text, and nothing when there is none', async ({
    world,
  }) => {
    const other = await world.tmux.run('new-window', '-d', '-P', '-F', '#{pane_id}', 'exec sh')
    expect((await world.http('/next')).text.trim()).toBe('')
    await hook(world, 's1', other, 'Stop')
    await hook(world, 's2', '%0', 'Stop')
    await world.waitForQueue('both panes to be found', (q) => q.every(({ pane }) => pane !== null))
    const next = await world.http('/next')
    expect(next.text.trim()).toBe(other)
    expect(next.headers['content-type']).toContain('text/plain')

    const skip = await world.http('/skip', { method: 'POST', body: { session: 's1' } })
    expect(skip.status).toBe(200)
    expect((await world.http('/next')).text.trim()).toBe('%0')
  })

  test('"state survives a daemon restart"', async ({ world }) => {
    await hook(world, 's1', '%0', 'Stop', { last_assistant_message: 'Still here?' })
    const before = await world.queue()
    expect((await world.trailboss('down')).code).toBe(0)
    const status = await world.trailboss('status', '--json')
    expect(JSON.parse(status.stdout)).toMatchObject({ daemon: { running: false } })
    await world.up()
    expect(await world.queue()).toEqual(before)
  })

  test('anything can POST the normalized event; explain tells why the verdict is what it is', async ({
    world,
  }) => {
    const event = {
      v: 1,
      kind: 'stuck',
      harness: 'my-agent',
      session: 'n1',
      at: Date.now(),
      source: 'api',
      reason: 'stopped',
      pane: { socket: world.tmux.socket, id: '%0' },
      ask: { text: 'Which colour?' },
      extra: 'kept',
    }
    expect((await world.http('/v1/events', { method: 'POST', body: event })).status).toBeLessThan(
      300,
    )
    for (const target of ['n1', '%0']) {
      const explained = await world.json<ExplainView>('explain', target)
      expect(explained).toMatchObject({ session: 'n1', state: 'stuck', reason: 'stopped' })
      expect(explained.because.map(({ source }) => source)).toContain('api')
    }
    await world.http('/v1/events', {
      method: 'POST',
      body: { ...event, kind: 'unstuck', at: Date.now() + 1, reason: undefined },
    })
    expect(await world.queue()).toEqual([])
  })

  test('a bare curl without the emitter is taken in, and its session has no pane', async ({
    world,
  }) => {
    const socket = join(world.state, 'trailboss.sock')
    const url = 'http://localhost/event'
    const json = ['-H', 'content-type: application/json']
    const curl = ['curl', '-s', '--unix-socket', socket, ...json, '--data-binary', '@-', url]
    const agent = await world.agent('bare', { hookCommand: curl, statusFile: false })
    await agent.stop('Nobody knows where I am.')
    const [item] = await world.waitForQueue('it to be listed', (q) => q.length === 1)
    expect(item).toMatchObject({ session: agent.session, pane: null })
  })

  test('a headless session is never queued and claims no pane', async ({ world }) => {
    await hook(world, 's1', '%0', 'Stop', { last_assistant_message: 'Interactive.' })
    await post(world, 'p1', '%0', 'Stop', { last_assistant_message: 'Printed.' }, 'sdk-cli')
    expect((await world.queue()).map(({ session }) => session)).toEqual(['s1'])
    const headless = (await world.sessions()).find(({ session }) => session === 'p1')
    expect(headless?.pane ?? null).toBeNull()
  })
})

describe('phase 3: the loopback TCP endpoint', () => {
  test('takes events with the ingest token, and tells the queue only with the other token', async () => {
    const port = await freePort()
    await using world = await createWorld({ port })
    const token = (name: string): string => readFileSync(join(world.state, name), 'utf8').trim()
    const post = (headers: Record<string, string>) =>
      http({ port }, '/event', {
        method: 'POST',
        headers,
        body: envelope(world, 's1', '%0', 'Stop'),
      })
    const bearer = (name: string) => ({ authorization: `Bearer ${token(name)}` })

    expect((await post({})).status).toBe(401)
    expect((await post(bearer('ingest-token'))).status).toBeLessThan(300)
    await waitFor(world.queue, { what: 'the event to be in', until: (q) => q.length === 1 })
    expect((await http({ port }, '/queue')).status).toBe(401)
    expect((await http({ port }, '/queue', { headers: bearer('ingest-token') })).status).toBe(401)
    const queue = await http({ port }, '/queue', { headers: bearer('token') })
    expect(JSON.parse(queue.text)).toMatchObject({ items: [{ session: 's1' }] })
    const evil = { host: `evil.test:${port}`, ...bearer('token') }
    expect((await http({ port }, '/queue', { headers: evil })).status).toBe(421)
    const page = { origin: 'https://evil.test', ...bearer('token') }
    expect((await http({ port }, '/queue', { headers: page })).status).toBe(403)
  })
})

function hook(
  world: World,
  session: string,
  pane: string,
  name: string,
  fields: Record<string, unknown> = {},
): Promise<void> {
  return post(world, session, pane, name, fields, 'cli')
}

async function post(
  world: World,
  session: string,
  pane: string,
  name: string,
  fields: Record<string, unknown>,
  entrypoint: string,
): Promise<void> {
  const body = { ...envelope(world, session, pane, name, fields), entrypoint }
  const { status, text } = await world.http('/event', { method: 'POST', body })
  expect(status, text).toBeLessThan(300)
}

function envelope(
  world: World,
  session: string,
  pane: string,
  name: string,
  fields: Record<string, unknown> = {},
) {
  return {
    v: 1,
    harness: 'claude-code',
    at: Date.now(),
    tmux: `${world.tmux.socket},${world.tmux.pid},0`,
    pane,
    entrypoint: 'cli',
    payload: { session_id: session, cwd: world.home, hook_event_name: name, ...fields },
  }
}
