import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { QueueItem } from '../../src/contract/responses.ts'
import { isSafeWithControlClient, parseTmuxVersion } from '../../src/tmux/version.ts'
import { createMonitorScene, type MonitorScene } from '../support/daemon/monitor-scene.ts'
import { TMUX } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let scene: MonitorScene
beforeAll(async () => {
  scene = await createMonitorScene({ controlClient: 'on' })
})
afterAll(() => scene[Symbol.asyncDispose]())

function script(name: string, text: string): string {
  const file = join(scene.dir, name)
  writeFileSync(file, text)
  return file
}

/** How many looks it had without anything being told that is not so. */
async function diagnosed(pane: string, kind: string) {
  return await waitFor(() => scene.monitored(pane), {
    what: `the diagnosis "${kind}"`,
    until: (seen) => seen?.diagnosis?.kind === kind,
  })
}

describe('a program that is watched', () => {
  test('is listed with its question while it asks, and leaves when it is answered', async () => {
    const file = script('install', 'printf "Install 3 packages? [y/N] "; read a; seq 3; sleep 60')
    const pane = await scene.open(`sh ${file}`)
    const item = await scene.listed(pane, 'the question')
    expect(item).toMatchObject({ harness: 'program', reason: 'permission' })
    expect(item.session).toMatch(/^sh-\d+$/)
    expect(item.ask.text).toContain('Install 3 packages? [y/N]')
    await scene.server.run('send-keys', '-t', pane, 'y', 'Enter')
    await waitFor(() => scene.queued(pane), { what: 'it to go', until: (item) => !item })
    expect(await scene.session(pane)).toMatchObject({ state: 'working' })
  })

  test('is listed at the prompt of a REPL, and ends when the shell is back', async () => {
    const pane = await scene.open('exec sh')
    await scene.server.run('send-keys', '-t', pane, 'python3 -q', 'Enter')
    const item = await scene.listed(pane, 'the prompt')
    expect(item).toMatchObject({ reason: 'stopped' })
    expect(item.session).toMatch(/^python3-\d+$/)
    await scene.server.run('send-keys', '-t', pane, 'exit()', 'Enter')
    const ended = await waitFor(() => scene.explain(item.session), {
      what: 'its end',
      until: ({ state, why }) => state === 'ended' && /shell/.test(why),
    })
    expect(ended.listed).toBe(false)
    await waitFor(() => scene.monitored(pane), { what: 'the end of it', until: (one) => !one })
  })

  test('is listed as suspended after Ctrl-Z, and for what it asks once it is back', async () => {
    const file = script('ask', 'printf "Go on? [y/N] "; read a')
    const pane = await scene.open('exec bash --norc')
    await scene.server.run('send-keys', '-t', pane, `sh ${file}`, 'Enter')
    await scene.listed(pane, 'the question')
    const asks = (wanted: RegExp) => ({
      what: `${wanted}`,
      until: (item: QueueItem | undefined) => wanted.test(item?.ask.text ?? ''),
    })
    await scene.server.run('send-keys', '-t', pane, 'C-z')
    await waitFor(() => scene.queued(pane), asks(/^Suspended/))
    await scene.server.run('send-keys', '-t', pane, 'fg', 'Enter')
    await waitFor(() => scene.queued(pane), asks(/Go on/))
  })

  test('is listed as stalled when it hangs in the middle of its output', async () => {
    const file = script('hang', 'echo "step 1"; echo "step 2 of 9"; exec sleep 1000')
    const pane = await scene.open(`sh ${file}`)
    const item = await scene.listed(pane, 'the stall')
    expect(item).toMatchObject({ reason: 'stopped' })
    expect(item.ask.text).toMatch(/has not changed for .*\n\nstep 1\nstep 2 of 9$/s)
    const view = await scene.monitored(pane)
    expect(view).toMatchObject({ stall: 'confirmed', diagnosis: { kind: 'hung' } })
    expect(view?.identical).toBeGreaterThanOrEqual(3)
    const explained = await scene.explain(item.session)
    expect(explained.why).toContain('stalled: hung')
    await scene.server.run('detach-client', '-s', 'work')
    // Without the control client it is looked at all the same, and no more moves than before.
    for (const isConnected of [false, true]) {
      await waitFor(scene.status, {
        what: `a control client: ${isConnected}`,
        until: ({ servers }) => servers[0]?.control.connected === isConnected,
      })
      const { lookedAt = null } = (await scene.monitored(pane)) ?? {}
      await waitFor(() => scene.monitored(pane), {
        what: 'another look',
        until: (seen) => (seen?.lookedAt ?? 0) > (lookedAt ?? 0),
      })
      expect(await scene.queued(pane)).toBeDefined()
    }
  })

  test('is not listed while it thinks with a spinner', async () => {
    const spin =
      'while :; do for c in ⠋ ⠙ ⠹ ⠸; do printf "\\r%s Thinking" $c; sleep 0.1; done; done'
    const pane = await scene.open(`bash -c '${spin}'`)
    await waitFor(() => scene.monitored(pane), {
      what: 'a stall that is none',
      until: (seen) => seen?.stall === 'confirmed' && seen.diagnosis !== null,
    })
    expect((await scene.monitored(pane))?.diagnosis?.kind).not.toBe('hung')
    expect(await scene.queued(pane)).toBeUndefined()
  })

  test('is not listed while a child of it uses the CPU and prints nothing', async () => {
    const burn = 'echo Compiling; (while :; do :; done); echo done'
    const pane = await scene.open(`bash -c '${burn}'`)
    const seen = await diagnosed(pane, 'working')
    expect(seen?.diagnosis?.sentence).toMatch(/its child bash \(\d+\) uses the CPU/)
    expect(await scene.queued(pane)).toBeUndefined()
    await scene.server.run('respawn-pane', '-k', '-t', pane, 'exec sh')
  })

  test('has ended when it crashed, with its last words', async () => {
    const pane = await scene.open('exec bash --norc')
    await scene.server.run('send-keys', '-t', pane, `bash -c 'read x; kill -SEGV $$'`, 'Enter')
    const { session } = (await waitFor(() => scene.monitored(pane), {
      what: 'it to be stalled',
      until: (one) => one?.session !== null && one?.stall === 'confirmed',
    })) ?? { session: null }
    await scene.server.run('send-keys', '-t', pane, 'Enter')
    await waitFor(() => scene.explain(session ?? ''), {
      what: 'how it ended',
      until: ({ state, why }) => state === 'ended' && why.includes('Segmentation fault'),
    })
  })

  test('that becomes another one, long after its start, is called by the new name', async () => {
    const file = script('wrapper', '#!/bin/sh\nread a; exec cat')
    chmodSync(file, 0o755)
    const pane = await scene.open(file)
    const program = async () => (await scene.monitored(pane))?.program
    await waitFor(program, { what: 'the wrapper', until: (name) => name === 'wrapper' })
    await waitFor(() => scene.monitored(pane), {
      what: 'it to be no new program any more',
      until: (seen) => Date.now() - (seen?.unchangedSince ?? Date.now()) > 4_000,
    })
    await scene.server.run('send-keys', '-t', pane, 'Enter')
    await waitFor(program, { what: 'what it became', until: (name) => name === 'cat' })
  })

  test('is what the operator says: a window, its panes, and one of them not', async () => {
    const file = script('ask', 'printf "Go on? [y/N] "; read a')
    const pane = await scene.open(`sh ${file}`, { isWatched: false })
    const split = ['split-window', '-d', '-t', pane, '-P', '-F', '#{pane_id}']
    const other = await scene.server.run(...split, `sh ${file}`)
    await scene.server.run('set-option', '-p', '-t', other, '@trailboss_watch', 'off')
    await scene.server.run('set-option', '-w', '-t', pane, '@trailboss_watch', 'on')
    await scene.listed(pane, 'the watched one')
    expect(await scene.queued(other)).toBeUndefined()
    await scene.server.run('set-option', '-w', '-u', '-t', pane, '@trailboss_watch')
    await waitFor(() => scene.queued(pane), { what: 'it to go', until: (item) => !item })
  })

  test('is watched again after a restart of the daemon', async () => {
    const file = script('ask', 'printf "Go on? [y/N] "; read a')
    const pane = await scene.open(`sh ${file}`)
    const before = await scene.listed(pane, 'the question')
    await scene.restart()
    const after = await scene.listed(pane, 'the question again')
    expect(after.session).toBe(before.session)
    expect(after.since).toBe(before.since)
    await scene.restart(() =>
      scene.server.run('set-option', '-p', '-u', '-t', pane, '@trailboss_watch'),
    )
    await waitFor(() => scene.queued(pane), { what: 'it to go', until: (item) => !item })
  })

  test('is in the first answer when it began to ask while no daemon ran', async () => {
    const file = script('ask', 'printf "Go on? [y/N] "; read a')
    const asking: string[] = []
    await scene.restart(async () => {
      const pane = await scene.open(`sh ${file}`)
      asking.push(pane)
      await waitFor(() => scene.server.run('capture-pane', '-p', '-t', pane), {
        what: 'the question',
        until: (text) => text.includes('Go on?'),
      })
    })
    expect(await scene.queued(asking[0] ?? '')).toMatchObject({ reason: 'permission' })
  })
})

describe('a pane', () => {
  test('is not watched when nobody asked for it', async () => {
    const file = script('ask', 'printf "Go on? [y/N] "; read a')
    const pane = await scene.open(`sh ${file}`, { isWatched: false })
    const watched = await scene.open(`sh ${file}`)
    await scene.listed(watched, 'the one that is watched')
    expect(await scene.monitored(pane)).toBeUndefined()
    expect(await scene.queued(pane)).toBeUndefined()
  })

  test('with a quiet shell is no program, however long it is quiet', async () => {
    const shell = await scene.open('exec sh')
    const watched = await scene.open('exec sleep 1000')
    await scene.listed(watched, 'the stall of another')
    expect(await scene.monitored(shell)).toBeUndefined()
    expect(await scene.queued(shell)).toBeUndefined()
  })

  test('in copy mode is read as what it would show', async () => {
    const file = script('ask', 'seq 200; printf "Go on? [y/N] "; read a')
    const pane = await scene.open(`sh ${file}`)
    await scene.server.run('copy-mode', '-t', pane)
    await scene.server.run('send-keys', '-t', pane, '-X', 'history-top')
    const item = await scene.listed(pane, 'the question')
    expect(item.ask.text).toContain('Go on? [y/N]')
  })

  test('that floods its output harms no other, and is not listed', async () => {
    const flood = await scene.open('yes flood')
    const file = script('ask', 'printf "Go on? [y/N] "; read a')
    const pane = await scene.open(`sh ${file}`)
    await scene.listed(pane, 'the question beside it')
    await waitFor(() => scene.session(flood), {
      what: 'the flood to show',
      until: (session) => session?.state === 'working',
    })
    expect(await scene.queued(flood)).toBeUndefined()
    await scene.server.run('kill-pane', '-t', flood)
  })

  test('that dies at any moment harms no other', async () => {
    const file = script('ask', 'printf "Go on? [y/N] "; read a')
    const pane = await scene.open(`sh ${file}`)
    for (let round = 0; round < 10; round++) {
      const mortal = await scene.open('exec sleep 1000')
      await waitFor(() => scene.monitored(mortal), { what: 'it to be watched' })
      await scene.server.run('kill-pane', '-t', mortal)
    }
    await scene.listed(pane, 'the question beside them')
    expect((await scene.status()).servers[0]?.control).toEqual({
      connected: true,
      wanted: true,
      why: null,
    })
    expect(await scene.queued(pane)).toBeDefined()
  })
})

describe('a tmux server that takes no control client', () => {
  const path = process.env['PATH']
  let bin: string
  beforeAll(() => {
    bin = mkdtempSync(join(tmpdir(), 'tb-bin-'))
    const refusing = `#!/bin/sh
case " $* " in *' -C '*) echo 'no control mode today' >&2; exit 1 ;; esac
exec '${TMUX}' "$@"
`
    writeFileSync(join(bin, 'tmux'), refusing, { mode: 0o755 })
    process.env['PATH'] = `${bin}:${path}`
  })
  afterAll(() => {
    process.env['PATH'] = path
    rmSync(bin, { recursive: true })
  })

  test('is looked at by processes, and the status says so', async () => {
    await using refusing = await createMonitorScene({ controlClient: 'on' })
    const file = join(refusing.dir, 'ask')
    writeFileSync(file, 'printf "Go on? [y/N] "; read a; seq 5; exec sleep 1000')
    const panes = [await refusing.open(`sh ${file}`), await refusing.open(`sh ${file}`)]
    for (const pane of panes) {
      const item = await refusing.listed(pane, 'the question')
      expect(item.ask.text).toContain('Go on? [y/N]')
    }
    const [server] = (await refusing.status()).servers
    expect(server?.control).toMatchObject({ connected: false })
    expect(server?.control.why).toContain('no control mode today')
    const [pane = ''] = panes
    await refusing.server.run('send-keys', '-t', pane, 'y', 'Enter')
    await waitFor(() => refusing.queued(pane), { what: 'it to go', until: (item) => !item })
  })
})

describe('a tmux that may crash while a control client is attached', () => {
  test('has none attached, and outlives what would crash it', async () => {
    await using alone = await createMonitorScene()
    const pane = await alone.open('exec cat')
    await waitFor(() => alone.monitored(pane), {
      what: 'a look',
      until: (seen) => !!seen?.lookedAt,
    })
    const [shown] = (await alone.status()).servers
    const version = parseTmuxVersion(await alone.server.run('display-message', '-p', '#{version}'))
    expect(shown?.control.connected).toBe(isSafeWithControlClient(version))
    // A session that ends right after its current window changed.
    await alone.server.run('new-session', '-d', '-s', 'brief', 'sleep 500')
    await alone.server.run('new-window', '-d', '-t', 'brief:', 'sleep 500')
    await alone.server.run('select-window', '-t', 'brief:1', ';', 'kill-session', '-t', 'brief')
    expect(await alone.server.run('list-sessions', '-F', '#{session_name}')).toBe('work')
  })
})

describe('the setting watch', () => {
  test('has programs watched by their names, wherever they run', async () => {
    await using named = await createMonitorScene({ watch: { commands: ['python3'] } })
    const pane = await named.open('exec sh', { isWatched: false })
    await named.server.run('send-keys', '-t', pane, 'python3 -q', 'Enter')
    const item = await named.listed(pane, 'the prompt')
    expect(item.session).toMatch(/^python3-\d+$/)
  })
})
