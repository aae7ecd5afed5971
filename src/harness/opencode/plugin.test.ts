import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { emitterOfPlugin, isOurPlugin, pluginText } from './plugin.ts'

type Told = Record<string, unknown> & { hook_event_name: string; session_id: string; at: number }
type Listener = (event: { properties: unknown }) => void

let dir: string
let log: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-plugin-'))
  log = join(dir, 'log')
  const emitter = join(dir, 'emit')
  writeFileSync(emitter, `#!/bin/sh\nbody=$(cat)\nprintf '%s\\n' "$body" >>'${log}'\n`)
  chmodSync(emitter, 0o755)
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** As much of opencode's interface as the plugin uses: one session, `root`, with a subagent, `child`. */
async function load(program = join(dir, 'emit')) {
  const file = join(dir, `plugin-${Math.random()}.mjs`)
  writeFileSync(file, pluginText({ program }))
  const { default: plugin } = await import(pathToFileURL(file).href)
  const listeners = new Map<string, Listener>()
  const dispose: (() => void)[] = []
  const state = {
    path: { directory: '/home/op' },
    session: {
      get: (id: string) => (id === 'child' ? { parentID: 'root' } : { directory: '/home/op/proj' }),
      status: () => undefined as { type: string } | undefined,
      permission: () => [] as unknown[],
      question: () => [] as unknown[],
      messages: () => [{ id: 'm1', role: 'assistant' }] as unknown[],
    },
    part: (_message: string): unknown[] => [
      { type: 'text', text: 'First.' },
      { type: 'text', text: 'Last words.' },
      { type: 'step-finish' },
    ],
  }
  const route = { current: { name: 'home', params: {} as Record<string, string> } }
  const api = {
    state,
    route,
    event: { on: (type: string, listener: Listener) => listeners.set(type, listener) },
    lifecycle: { onDispose: (act: () => void) => dispose.push(act) },
  }
  await plugin.tui(api)
  return {
    plugin,
    state,
    show: (sessionID: string) => {
      route.current = { name: 'session', params: { sessionID } }
    },
    happens: (type: string, properties: unknown) => listeners.get(type)?.({ properties }),
    [Symbol.dispose]: () => {
      for (const act of dispose) act()
    },
  }
}

/** In the order of their reports: each is passed on by its own process. */
async function passedOn(count: number): Promise<Told[]> {
  const read = () =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Told)
  const all = await waitFor(read, {
    what: `${count} events to be passed on`,
    until: (lines) => lines.length >= count,
  })
  return all.toSorted((a, b) => a.at - b.at)
}

const idle = (sessionID: string) => ({ sessionID, status: { type: 'idle' } })
const busy = (sessionID: string) => ({ sessionID, status: { type: 'busy' } })

describe('the plugin passes on', () => {
  test('a turn, once each: opencode reports busy and idle several times', async () => {
    using opencode = await load()
    opencode.happens('session.created', { info: { id: 'root' } })
    opencode.show('root')
    const prompt = {
      info: { id: 'u1', role: 'user', sessionID: 'root', time: { created: Date.now() } },
    }
    opencode.happens('message.updated', prompt)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    for (const _ of [1, 2, 3]) opencode.happens('session.status', busy('root'))
    for (const _ of [1, 2]) opencode.happens('session.status', idle('root'))
    clock.mockRestore()
    opencode.happens('message.updated', prompt)
    const events = await passedOn(4)
    expect(events.map(({ hook_event_name }) => hook_event_name)).toEqual([
      ...['session.shown', 'chat.message', 'session.status', 'session.idle'],
    ])
    expect(events.at(-1)).toMatchObject({ session_id: 'root', message: 'Last words.' })
    expect(events[0]?.['cwd']).toBe('/home/op/proj')
    expect(new Set(events.map(({ at }) => at)).size).toBe(4)
  })

  test('an error with the end of its turn, and not with the next', async () => {
    using opencode = await load()
    opencode.show('root')
    const error = { name: 'APIError', data: { message: 'no' } }
    opencode.happens('session.status', busy('root'))
    opencode.happens('session.error', { sessionID: 'root', error })
    opencode.happens('session.status', idle('root'))
    opencode.happens('session.status', busy('root'))
    opencode.happens('session.status', idle('root'))
    const ends = (await passedOn(6)).filter((event) => event.hook_event_name === 'session.idle')
    expect(ends.map((event) => event['error'])).toEqual([
      { name: 'APIError', message: 'no' },
      undefined,
    ])
  })

  test('the marks in a prompt, once, and nothing else of it', async () => {
    using opencode = await load()
    opencode.show('root')
    const time = { created: Date.now() }
    const text = (messageID: string, more = {}) => ({
      sessionID: 'root',
      part: { type: 'text', messageID, text: '[tb:k3f9x2m7q1] Say hello', ...more },
    })
    for (const [id, role] of Object.entries({ u1: 'user', u2: 'user', a1: 'assistant' })) {
      opencode.happens('message.updated', { info: { id, role, sessionID: 'root', time } })
    }
    opencode.happens('message.part.updated', text('a1'))
    opencode.happens('message.part.updated', text('u1', { text: 'Say hello' }))
    opencode.happens('message.part.updated', text('u2', { synthetic: true }))
    opencode.happens('message.part.updated', text('u2'))
    opencode.happens('message.part.updated', text('u2'))
    opencode.happens('session.status', idle('root'))
    const events = await passedOn(3)
    expect(events.map(({ hook_event_name, marks }) => [hook_event_name, marks])).toEqual([
      ['session.shown', undefined],
      ['chat.message', undefined],
      ['chat.message', '[tb:k3f9x2m7q1]'],
    ])
    expect(JSON.stringify(events)).not.toContain('Say hello')
  })

  test('a prompt whose text is late or missing, with its own time', async () => {
    using opencode = await load()
    opencode.show('root')
    opencode.happens('session.status', busy('root'))
    const time = { created: Date.now() }
    const prompt = (id: string) => ({ info: { id, role: 'user', sessionID: 'root', time } })
    const part = { type: 'text', text: 'Say hello [tb:k3f9x2m7q1]', messageID: 'late' }
    opencode.happens('message.updated', prompt('late'))
    opencode.happens('session.status', idle('root'))
    opencode.happens('message.part.updated', { part: { ...part, sessionID: 'root' } })
    opencode.happens('message.updated', prompt('without'))
    opencode.happens('permission.asked', { id: 'p', sessionID: 'root', permission: 'bash' })
    const names = (await passedOn(7)).map(({ hook_event_name }) => hook_event_name)
    expect(names).toEqual([
      ...['session.shown', 'session.status', 'chat.message', 'session.idle', 'prompt.marked'],
      ...['chat.message', 'permission.asked'],
    ])
  })

  test('a prompt with its marks, even if its text comes after its turn has begun', async () => {
    using opencode = await load()
    opencode.show('root')
    opencode.state.part = () => []
    const info = { id: 'u1', role: 'user', sessionID: 'root', time: { created: Date.now() } }
    const part = { type: 'text', text: '[tb:k3f9x2m7q1] Say hello', messageID: 'u1' }
    opencode.happens('message.updated', { info })
    opencode.happens('session.status', busy('root'))
    await new Promise((resolve) => setTimeout(resolve, 400))
    opencode.happens('message.part.updated', { part: { ...part, sessionID: 'root' } })
    const events = await passedOn(3)
    expect(events.map(({ hook_event_name, marks }) => [hook_event_name, marks])).toEqual([
      ['session.shown', undefined],
      ['chat.message', '[tb:k3f9x2m7q1]'],
      ['session.status', undefined],
    ])
  })

  test('that opencode gave itself a prompt', async () => {
    using opencode = await load()
    opencode.show('root')
    const info = { id: 'u1', role: 'user', sessionID: 'root', time: { created: Date.now() } }
    const part = { type: 'text', text: 'Continue.', synthetic: true, messageID: 'u1' }
    opencode.happens('message.updated', { info })
    opencode.happens('message.part.updated', { part: { ...part, sessionID: 'root' } })
    opencode.happens('session.status', busy('root'))
    const [, prompt] = await passedOn(3)
    expect(prompt).toMatchObject({ hook_event_name: 'chat.message', synthetic: true })
  })

  test('the marks in a prompt from before its session was shown, unless it is old', async () => {
    using opencode = await load()
    const mark = (messageID: string) => `[tb:${messageID.padEnd(10, '0')}]`
    const prompt = (id: string, created: number) => ({ id, role: 'user', time: { created } })
    const messages = [prompt('old', Date.now() - 60_000), prompt('new', Date.now())]
    opencode.state.session.messages = () => messages
    opencode.state.part = (messageID: string) => [
      { type: 'text', messageID, sessionID: 'root', text: `${mark(messageID)} Say hello` },
    ]
    const [, before] = messages
    opencode.happens('message.updated', { info: { ...before, sessionID: 'root' } })
    opencode.show('root')
    opencode.happens('session.status', busy('root'))
    const events = await passedOn(3)
    expect(events.map(({ hook_event_name, marks }) => [hook_event_name, marks])).toEqual([
      ['session.shown', undefined],
      ['prompt.marked', mark('new')],
      ['session.status', undefined],
    ])
  })

  test("a subagent's permission as one of its parent, shortened", async () => {
    using opencode = await load()
    opencode.show('root')
    const metadata = { command: 'x'.repeat(100_000) }
    opencode.happens('permission.asked', {
      id: 'p',
      sessionID: 'child',
      permission: 'bash',
      metadata,
    })
    opencode.happens('session.status', idle('child'))
    const [, asked, over] = await passedOn(3)
    expect(asked).toMatchObject({ session_id: 'root', agent_id: 'child', id: 'p' })
    expect(JSON.stringify(asked).length).toBeLessThan(20_000)
    expect(over).toMatchObject({ hook_event_name: 'session.idle', agent_id: 'child' })
  })

  test('nothing about a session that is not on this screen', async () => {
    using opencode = await load()
    opencode.happens('session.status', busy('root'))
    opencode.show('root')
    opencode.happens('permission.asked', { id: 'p', sessionID: 'elsewhere', permission: 'bash' })
    opencode.happens('session.status', busy('root'))
    const events = await passedOn(2)
    expect(events.map(({ session_id }) => session_id)).toEqual(['root', 'root'])
  })

  test('that a session has left the screen', async () => {
    using opencode = await load()
    opencode.show('root')
    opencode.happens('session.status', busy('root'))
    opencode.show('other')
    opencode.happens('session.status', idle('root'))
    opencode.happens('session.status', busy('other'))
    const events = await passedOn(5)
    expect(events.map((event) => `${event.hook_event_name} ${event.session_id}`)).toEqual([
      ...['session.shown root', 'session.status root', 'session.left root'],
      ...['session.shown other', 'session.status other'],
    ])
  })

  test('what a session that comes to the screen already waits for', async () => {
    using opencode = await load()
    opencode.state.session.status = () => ({ type: 'busy' })
    opencode.state.session.permission = () => [{ id: 'p', sessionID: 'root', permission: 'edit' }]
    opencode.show('child')
    const names = (await passedOn(3)).map(({ hook_event_name }) => hook_event_name)
    expect(names).toEqual(['session.shown', 'session.status', 'permission.asked'])
  })
})

describe('the plugin never breaks opencode', () => {
  test('without an emitter', async () => {
    using opencode = await load('/nowhere/trailboss-emit')
    opencode.show('root')
    expect(() => opencode.happens('session.status', busy('root'))).not.toThrow()
  })

  const KINDS = [
    ...['session.status', 'session.error', 'permission.asked'],
    ...['message.updated', 'message.part.updated'],
  ]

  test('with events and an interface that it does not know', async () => {
    using opencode = await load()
    opencode.show('root')
    for (const type of KINDS) {
      for (const properties of [undefined, null, {}, { sessionID: 'root' }, { info: null }]) {
        expect(() => opencode.happens(type, properties)).not.toThrow()
      }
    }
    for (const api of [undefined, {}, { event: { on: () => {} } }, { route: null }]) {
      await expect(opencode.plugin.tui(api)).resolves.toBeUndefined()
    }
  })
})

test('the file says who owns it and what it runs', () => {
  const text = pluginText({ program: '/opt/a "b/trailboss-emit', home: "/srv/it's" })
  expect(isOurPlugin(text)).toBe(true)
  expect(emitterOfPlugin(text)).toBe('/opt/a "b/trailboss-emit')
  expect(text).toContain(`const HOME = "/srv/it's"`)
  expect(isOurPlugin('export default {}')).toBe(false)
  expect(() => pluginText({ program: '/a\nb' })).toThrow('control character')
})
