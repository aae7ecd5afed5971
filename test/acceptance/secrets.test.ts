import { spawn } from 'node:child_process'
import { existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { command } from '../support/command.ts'
import { TRAILBOSS, type World } from '../support/create-world.ts'
import { SECRET_SAMPLES, secretsIn } from '../support/secret-samples.ts'
import { storedSecrets } from '../support/stored-secrets.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

const EMITTER = fileURLToPath(new URL('../../bin/trailboss-emit', import.meta.url))
const ALL = SECRET_SAMPLES.map(({ text }) => text).join('\n\n')
const SCREENFUL = 4

describe('secrets', () => {
  test.override({ worldOptions: { up: false, config: { logLevel: 'debug' } } })

  test('are in no file of ours and on no output, whatever source they come from', {
    timeout: 240_000,
  }, async ({ world }) => {
    await spooled(world)
    const output = await upInForeground(world)
    await world.waitForQueue('the spooled ones', (items) => items.length === SECRET_SAMPLES.length)

    for (const [index, { text }] of SECRET_SAMPLES.entries()) {
      await post(world, '/event', hook({ session_id: `stopped-${index}`, ...stop(text) }))
      await post(world, '/v1/events', anyEvent(`any-${index}`, text))
    }
    const screens = await showOnScreens(world)
    const hooked = await world.agent('hooked')
    const unhooked = await world.agent('unhooked', { hooks: false })
    const asking = await world.agent('asking', { hooks: false })
    await hooked.stop(ALL)
    await unhooked.stop(ALL)
    await asking.askPermission({ command: SECRET_SAMPLES.map(({ text }) => text).join('\n') })
    const count = 3 * SECRET_SAMPLES.length + screens + 3
    const items = await world.waitForQueue('all to be listed', (all) => all.length === count)
    await publish(world, asking.pid)
    for (const args of [['status'], ['list'], ['explain', '--all'], ['audit']]) {
      await world.trailboss(...args)
    }
    await waitFor(() => world.daemonLog(), {
      what: 'the log',
      until: (log) => log.includes('session changed'),
    })

    expect(secretsIn(JSON.stringify(items))).toEqual([])
    const unwrapped = items.map(({ ask }) => ask.text.replaceAll('\n', '')).join(' ')
    expect(secretsIn(unwrapped)).toEqual([])
    expect(items.every(({ ask }) => /\[redacted\]/.test(ask.text))).toBe(true)
    expect(secretsIn(readFileSync(output, 'utf8'))).toEqual([])
    expect(readdirSync(join(world.state, 'spool', 'bad'))).toEqual(['1-1.json'])
    expect(storedSecrets(world.state)).toEqual([])

    await world.trailboss('down')
    expect(storedSecrets(world.state)).toEqual([])
  })
})

function hook(payload: Record<string, unknown>): Record<string, unknown> {
  return { cwd: '/tmp', transcript_path: '/nowhere', permission_mode: 'default', ...payload }
}

function stop(text: string): Record<string, unknown> {
  return { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: text }
}

function anyEvent(session: string, text: string): Record<string, unknown> {
  const about = { v: 1, kind: 'stuck', harness: 'my-agent', session, at: Date.now(), source: 'api' }
  const ask = { text, tool: 'Tool', input: { command: text, args: ['-c', text] } }
  return { ...about, reason: 'permission', ask, block: text.slice(0, 512), extra: { more: text } }
}

/** Hooks that ask for permission while no daemon runs, and one that was broken off: it is kept in `bad/`. */
async function spooled(world: World): Promise<void> {
  for (const [index, { text }] of SECRET_SAMPLES.entries()) {
    const payload = hook({
      hook_event_name: 'PermissionRequest',
      session_id: `spooled-${index}`,
      tool_name: 'Bash',
      tool_input: { command: text, description: text },
    })
    const stdin = JSON.stringify(payload)
    const { code } = await command(EMITTER, ['claude-code'], { env: world.env, stdin })
    expect(code).toBe(0)
  }
  const broken = `{"v":1,"harness":"claude-code","payload":${JSON.stringify({ text: ALL })}`
  writeFileSync(join(world.state, 'spool', '1-1.json'), broken)
}

/** As under systemd: what it prints is kept. */
async function upInForeground(world: World): Promise<string> {
  const output = join(world.dir, 'output')
  const stdio = openSync(output, 'a')
  spawn(TRAILBOSS, ['up', '--foreground'], { env: world.env, stdio: ['ignore', stdio, stdio] })
  await waitFor(() => existsSync(join(world.state, 'trailboss.sock')), { what: 'the daemon' })
  await world.bindKeys()
  return output
}

async function post(world: World, path: string, body: Record<string, unknown>): Promise<void> {
  const { status, text } = await world.http(path, { method: 'POST', body })
  expect(status, text).toBe(202)
}

/** Programs that ask below some secrets, in panes that are watched. */
async function showOnScreens(world: World): Promise<number> {
  const texts = SECRET_SAMPLES.map(({ text }) => text)
  const screens = Array.from({ length: Math.ceil(texts.length / SCREENFUL) }, (_, at) =>
    texts.slice(at * SCREENFUL, (at + 1) * SCREENFUL),
  )
  for (const [index, lines] of screens.entries()) {
    const file = join(world.dir, `shown-${index}`)
    writeFileSync(file, `${lines.join('\n')}\nGo on? [y/N] `)
    const run = `sh -c 'cat ${file}; read -r line'`
    await world.tmux.run('new-window', '-d', '-t', 'work:', run)
  }
  const { code, stderr } = await world.trailboss('watch', 'work', '--once')
  expect(code, stderr).toBe(0)
  return screens.length
}

/** The harness itself says what it waits for. */
async function publish(world: World, pid: number): Promise<void> {
  const file = join(world.home, '.claude', 'sessions', `${pid}.json`)
  const content = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  for (const { text } of SECRET_SAMPLES.filter(({ text }) => text.length < 80)) {
    const now = Date.now()
    const next = { ...content, waitingFor: text, statusUpdatedAt: now, updatedAt: now }
    writeFileSync(file, JSON.stringify(next))
    await waitFor(world.queue, {
      what: `the status to be read: ${text}`,
      until: (items) => items.some(({ ask }) => ask.text.startsWith('Waits for you: ')),
    })
  }
}
