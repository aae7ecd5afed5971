import { spawn } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'valibot'
import { test as base, describe, expect } from 'vitest'
import { HookEnvelope } from '../../src/contract/envelope.ts'
import { processesWith } from '../support/processes.ts'
import { waitFor } from '../support/wait-for.ts'
import { EmitterHome, type Outcome, programPath, type RunOptions } from './emitter-home.ts'
import { type HookCollector, startHookCollector } from './hook-collector.ts'

const PAYLOAD = {
  session_id: '12e3aa00-0000-4000-8000-000000000001',
  cwd: '/home/op/proj',
  hook_event_name: 'Stop',
  last_assistant_message: 'Done: "quoted", back\\slash, ünïcode.',
}
const TMUX_ENV = { TMUX: '/tmp/tmux-1000/default,4242,7', TMUX_PANE: '%446' }
const SILENT_SUCCESS: Outcome = { code: 0, signal: null, stdout: '', stderr: '' }

const test = base.extend<{ emitter: EmitterHome }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads a fixture's needs from its pattern
  emitter: async ({}, use) => {
    using emitter = new EmitterHome()
    await use(emitter)
  },
})

async function emit(emitter: EmitterHome, options: RunOptions = {}): Promise<void> {
  const env = { PATH: emitter.patientPath(), ...options.env }
  const run = await emitter.run({ stdin: JSON.stringify(PAYLOAD), ...options, env })
  expect(run).toEqual(SILENT_SUCCESS)
}

function envelopes({ received }: HookCollector): HookEnvelope[] {
  return received.map(({ body }) => parse(HookEnvelope, JSON.parse(body.toString('utf8'))))
}

/** Writes all of it, however long it takes: Node stops when the emitter has ended. */
function piped(emitter: EmitterHome, payload: string | Buffer): string[] {
  const file = join(emitter.root, 'payload')
  writeFileSync(file, payload)
  return ['sh', '-c', `cat '${file}' | "$@"`, 'sh']
}

async function nothingLeft(emitter: EmitterHome): Promise<void> {
  await waitFor(() => processesWith('TRAILBOSS_HOME', emitter.home), {
    what: 'no process to be left',
    until: (left) => left.length === 0,
  })
}

/** The emitter's last acts may outlive it by a moment. */
async function cleanSpool(emitter: EmitterHome, files: number): Promise<void> {
  await waitFor(() => emitter.spooled(), {
    what: `${files} spooled events and no temporary file`,
    until: (seen) => seen.files.length === files && seen.temporary.length === 0,
  })
}

/** Not even root can make a file in what is one. */
function noDirectory(emitter: EmitterHome, shell: readonly string[]): readonly string[] {
  writeFileSync(emitter.spool, '')
  return shell
}

/** To the emitter a limit of nothing is a disk without room: files can be made, but stay empty. */
function noRoom(_: EmitterHome, shell: readonly string[]): readonly string[] {
  return ['sh', '-c', `ulimit -f 0; exec ${shell.join(' ')} "$@"`, 'sh']
}

function noPermission({ spool }: EmitterHome, shell: readonly string[]): readonly string[] {
  mkdirSync(spool, { mode: 0o500 })
  return shell
}

const UNWRITABLE = {
  'it is a file': noDirectory,
  'the disk is full': noRoom,
  // Modes do not stop root.
  ...(process.getuid?.() === 0 ? {} : { 'it may not be written': noPermission }),
}

function leftIn(spool: string): string[] {
  return statSync(spool).isDirectory() ? readdirSync(spool) : []
}

type Shell = readonly [string, ...string[]]
const shells: Shell[] = [['dash'], ['bash', '--posix']]

describe.for(shells)('in %s', (shell) => {
  test('the body carries session_id, cwd, pane and tmux', async ({ emitter }) => {
    await using collector = await startHookCollector(emitter.socket)
    const before = Date.now()
    const env = { ...TMUX_ENV, CLAUDE_PID: '4711', CLAUDE_CODE_ENTRYPOINT: 'cli' }
    await emit(emitter, { shell, env })
    expect(collector.received).toMatchObject([
      { method: 'POST', path: '/event', type: 'application/json' },
    ])
    const [envelope] = envelopes(collector)
    expect(envelope).toEqual({
      v: 1,
      harness: 'claude-code',
      at: expect.any(Number),
      tmux: TMUX_ENV.TMUX,
      pane: TMUX_ENV.TMUX_PANE,
      pid: 4711,
      ppid: process.pid,
      entrypoint: 'cli',
      payload: PAYLOAD,
    })
    expect(envelope?.at).toBeGreaterThanOrEqual(before)
    expect(envelope?.at).toBeLessThanOrEqual(Date.now())
    await cleanSpool(emitter, 0)
  })

  test.for([
    [{ GROK_HOOK_EVENT: 'stop' }, 'grok'],
    [{ DEVIN_PROJECT_DIR: '/repo' }, 'devin'],
    [{ DEVIN_PROJECT_DIR: '/repo', CLAUDE_PID: '4711' }, undefined],
  ] as const)(
    'of %j it says which program ran the hook: %s',
    async ([env, runner], { emitter }) => {
      await emit(emitter, { shell, env })
      const [envelope] = emitter.spooledEnvelopes().map((body) => parse(HookEnvelope, body))
      expect(envelope?.runner).toBe(runner)
    },
  )

  test('with the daemon down the event is a file in the spool when the emitter returns', async ({
    emitter,
  }) => {
    await emit(emitter, { shell, env: TMUX_ENV })
    const [envelope] = emitter.spooledEnvelopes().map((body) => parse(HookEnvelope, body))
    expect(envelope).toMatchObject({ pane: '%446', payload: PAYLOAD })
    const { files, temporary } = emitter.spooled()
    expect(files).toEqual([expect.stringMatching(new RegExp(`^${envelope?.at}-[0-9]+\\.json$`))])
    expect(temporary).toEqual([])
  })

  test('a daemon that never answers does not keep the emitter', async ({ emitter }) => {
    await using collector = await startHookCollector(emitter.socket, 'never')
    await emit(emitter, { shell, env: { PATH: process.env['PATH'] } })
    await cleanSpool(emitter, 1)
    expect(emitter.spooledEnvelopes()).toMatchObject([{ payload: PAYLOAD }])
    expect(collector.received).toHaveLength(1)
  })

  test('a stdin that is not closed does not keep the emitter, and the event comes later', async ({
    emitter,
  }) => {
    await using collector = await startHookCollector(emitter.socket)
    const env = { PATH: emitter.patientPath({ returnsInTime: true }) }
    const { stdin, done } = emitter.startWithOpenStdin({ shell, env })
    {
      using open = stdin
      expect(await done).toEqual(SILENT_SUCCESS)
      expect(collector.received).toEqual([])
      open.write(JSON.stringify(PAYLOAD))
    }
    await waitFor(() => collector.received.length, { what: 'the late event to arrive' })
    expect(envelopes(collector)).toMatchObject([{ payload: PAYLOAD }])
    await cleanSpool(emitter, 0)
  })

  test.for(['up', 'down'])(
    'it gives up on a stdin that stays open for good, daemon %s',
    async (daemon, { emitter }) => {
      await using collector = await startHookCollector(
        daemon === 'up' ? emitter.socket : join(emitter.root, 'elsewhere'),
      )
      // Only the deadline is real time; the seconds after it are not waited out.
      const sleep = `case $1 in 0.*) exec ${programPath('sleep')} "$1" ;; esac`
      const PATH = emitter.pathWith({ sleep, curl: `exec ${programPath('curl')} "$@"` })
      const [program, ...options] = shell
      const run = emitter.startWithOpenStdin({
        shell: [programPath(program), ...options],
        env: { PATH },
      })
      using stdin = run.stdin
      stdin.write('{"session_id":')
      expect(await run.done).toEqual(SILENT_SUCCESS)
      await nothingLeft(emitter)
      expect(emitter.spooled()).toEqual({ files: [], temporary: [] })
      expect(collector.received).toEqual([])
    },
  )

  describe('where the spool takes no file', () => {
    test.for(Object.entries(UNWRITABLE))(
      'since %s, the event reaches the daemon all the same',
      async ([, spoil], { emitter }) => {
        await using collector = await startHookCollector(emitter.socket)
        const before = Date.now()
        await emit(emitter, { shell: spoil(emitter, shell), env: TMUX_ENV })
        expect(envelopes(collector)).toMatchObject([
          { harness: 'claude-code', tmux: TMUX_ENV.TMUX, pane: '%446', payload: PAYLOAD },
        ])
        expect(envelopes(collector)[0]?.at).toBeGreaterThanOrEqual(before)
        await nothingLeft(emitter)
        expect(leftIn(emitter.spool)).toEqual([])
      },
    )

    test.for(['none', 'never', 503] as const)(
      'and the daemon neither (%s), the agent does not notice',
      async (answer, { emitter }) => {
        const socket = answer === 'none' ? join(emitter.root, 'elsewhere') : emitter.socket
        await using collector = await startHookCollector(
          socket,
          answer === 'none' ? undefined : answer,
        )
        const PATH = emitter.pathWith({ curl: `exec ${programPath('curl')} "$@" --max-time 1` })
        const [program, ...options] = shell
        await emit(emitter, {
          shell: noDirectory(emitter, [programPath(program), ...options]),
          env: { PATH },
        })
        await nothingLeft(emitter)
        expect(collector.received).toHaveLength(answer === 'none' ? 0 : 1)
      },
    )

    test('a stdin that stays open for good does not keep it, nor does half an event count', async ({
      emitter,
    }) => {
      await using collector = await startHookCollector(emitter.socket, 400)
      const sleep = `case $1 in 0.*) exec ${programPath('sleep')} "$1" ;; esac`
      const PATH = emitter.pathWith({ sleep, curl: `exec ${programPath('curl')} "$@"` })
      const [program, ...options] = shell
      const run = emitter.startWithOpenStdin({
        shell: noDirectory(emitter, [programPath(program), ...options]),
        env: { PATH },
      })
      using stdin = run.stdin
      stdin.write(JSON.stringify(PAYLOAD))
      expect(await run.done).toEqual(SILENT_SUCCESS)
      await nothingLeft(emitter)
      expect(collector.received).toHaveLength(1)
      expect(() => envelopes(collector)).toThrow(SyntaxError)
    })
  })

  test.for(['<&-', '</dev/null', '<&- >&- 2>&-'])(
    'started with %s it sends payload null',
    async (redirects, { emitter }) => {
      await using collector = await startHookCollector(emitter.socket)
      const script = `exec ${shell.join(' ')} "$@" ${redirects}`
      await emit(emitter, { shell: ['sh', '-c', script, 'sh'] })
      expect(envelopes(collector)).toMatchObject([{ payload: null }])
    },
  )

  test('hostile values in the environment never break the JSON', async ({ emitter }) => {
    await using collector = await startHookCollector(emitter.socket)
    const tmux = `/tmp/a "b" \\c\\\\ $(touch x) \`y\` %s%n ünï/\\",1,2`
    await emit(emitter, {
      shell,
      env: { TMUX: tmux, TMUX_PANE: '%1', PPID: '"', CLAUDE_PID: '1e9' },
    })
    await emit(emitter, { shell, env: { TMUX: '/tmp/a\nb,1,2', TMUX_PANE: '%1\u001b[2J' } })
    await emit(emitter, { shell, env: { TMUX_PANE: '%'.repeat(33), CLAUDE_PID: '007', TMUX: '' } })
    await emit(emitter, {
      shell,
      env: { EPOCHREALTIME: '",', IFS: '0123456789' },
    })
    const common = { v: 1, harness: 'claude-code', at: expect.any(Number), ppid: process.pid }
    expect(envelopes(collector)).toEqual([
      { ...common, tmux, pane: '%1', payload: PAYLOAD },
      { ...common, payload: PAYLOAD },
      { ...common, payload: PAYLOAD },
      { ...common, payload: PAYLOAD },
    ])
  })
})

test('a bare curl of the payload, without the emitter, drops the pane', async ({ emitter }) => {
  await using collector = await startHookCollector(emitter.socket)
  const args = ['-s', '--unix-socket', emitter.socket, '--data-binary', '@-']
  const curl = spawn('curl', [...args, 'http://localhost/event'], { env: emitter.env(TMUX_ENV) })
  curl.stdin.end(JSON.stringify(PAYLOAD))
  await new Promise((resolve) => curl.on('close', resolve))
  const [bare] = collector.received
  expect(JSON.parse(String(bare?.body))).toEqual(PAYLOAD)
  expect(String(bare?.body)).not.toContain(TMUX_ENV.TMUX_PANE)
})

describe('an event the daemon has not judged is spooled', () => {
  test.for([500, 503, 302])('on status %i', async (status, { emitter }) => {
    await using collector = await startHookCollector(emitter.socket, status)
    await emit(emitter)
    await cleanSpool(emitter, 1)
    expect(emitter.spooledEnvelopes()).toMatchObject([{ payload: PAYLOAD }])
    expect(collector.received).toHaveLength(1)
  })

  test.for<{ how: string; programs: Record<string, string> }>([
    { how: 'is missing', programs: {} },
    { how: 'is killed', programs: { curl: 'kill -9 $$' } },
    { how: 'fails before it has read anything', programs: { curl: 'exit 2' } },
    { how: 'talks nonsense', programs: { curl: 'cat >/dev/null; echo 2000; echo oops >&2' } },
  ])('when curl $how', async ({ programs }, { emitter }) => {
    await using collector = await startHookCollector(emitter.socket)
    await emit(emitter, { env: { PATH: emitter.pathWith(programs) } })
    await cleanSpool(emitter, 1)
    expect(emitter.spooledEnvelopes()).toMatchObject([{ payload: PAYLOAD }])
    expect(collector.received).toEqual([])
  })

  test('when the socket file is there and nobody listens', async ({ emitter }) => {
    const dead = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 9))`
    const child = spawn(process.execPath, ['-e', dead, emitter.socket])
    await new Promise((resolve) => child.on('close', resolve))
    expect(statSync(emitter.socket).isSocket()).toBe(true)
    await emit(emitter)
    await cleanSpool(emitter, 1)
  })

  test('even when the hook is told to stop meanwhile', async ({ emitter }) => {
    await using collector = await startHookCollector(emitter.socket, 'never')
    const PATH = emitter.pathWith({ curl: `exec ${programPath('curl')} "$@" --max-time 2` })
    const { pid, done } = emitter.start({ stdin: JSON.stringify(PAYLOAD), env: { PATH } })
    await waitFor(() => collector.received.length, { what: 'the event to be in flight' })
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.kill(pid, signal)
    expect(await done).toEqual(SILENT_SUCCESS)
    await cleanSpool(emitter, 1)
  })
})

test.for([200, 400, 413])(
  'status %i is a judgement: nothing stays in the spool',
  async (status, { emitter }) => {
    await using collector = await startHookCollector(emitter.socket, status)
    await emit(emitter)
    await cleanSpool(emitter, 0)
    expect(collector.received).toHaveLength(1)
  },
)

test('being told that nobody waits any more does not stop the removal', async ({ emitter }) => {
  await using collector = await startHookCollector(emitter.socket)
  const rm = `kill -USR1 $$; exec ${programPath('rm')} "$@"`
  const PATH = emitter.pathWith({ rm, curl: `exec ${programPath('curl')} "$@" --max-time 20` })
  await emit(emitter, { env: { PATH } })
  await cleanSpool(emitter, 0)
  expect(collector.received).toHaveLength(1)
})

test('neither proxy variables nor a .curlrc change where the event goes', async ({ emitter }) => {
  await using collector = await startHookCollector(emitter.socket)
  const proxy = 'http://127.0.0.1:1'
  writeFileSync(join(emitter.root, '.curlrc'), `proxy = "${proxy}"\nurl = "${proxy}"\nverbose\n`)
  await emit(emitter, { env: { http_proxy: proxy, ALL_PROXY: proxy, CURL_HOME: emitter.root } })
  expect(collector.received).toMatchObject([{ path: '/event' }])
  expect(envelopes(collector)).toMatchObject([{ payload: PAYLOAD }])
})

test('10 MB arrive whole', async ({ emitter }) => {
  await using collector = await startHookCollector(emitter.socket)
  const payload = { ...PAYLOAD, tool_response: 'ü'.repeat(5 * 1024 * 1024) }
  await emit(emitter, { shell: piped(emitter, JSON.stringify(payload)) })
  await nothingLeft(emitter)
  expect(emitter.spooled().temporary).toEqual([])
  // On a busy machine it may be spooled instead, or as well: it is never cut.
  const [first] = [...envelopes(collector), ...emitter.spooledEnvelopes()]
  expect(isDeepStrictEqual(parse(HookEnvelope, first).payload, payload)).toBe(true)
})

test('binary garbage goes through byte for byte', async ({ emitter }) => {
  await using collector = await startHookCollector(emitter.socket, 400)
  const garbage = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7) % 256))
  await emit(emitter, { stdin: garbage })
  const body = collector.received[0]?.body ?? Buffer.alloc(0)
  expect(body.subarray(body.indexOf('"payload":') + 10, -2)).toEqual(garbage)
  await cleanSpool(emitter, 0)
})

describe('past a spool that takes no file', () => {
  test('10 MB arrive whole', async ({ emitter }) => {
    await using collector = await startHookCollector(emitter.socket)
    const payload = { ...PAYLOAD, tool_response: 'ü'.repeat(5 * 1024 * 1024) }
    const shell = piped(emitter, JSON.stringify(payload))
    await emit(emitter, { shell: noDirectory(emitter, shell) })
    await nothingLeft(emitter)
    expect(isDeepStrictEqual(envelopes(collector)[0]?.payload, payload)).toBe(true)
  })

  test('binary garbage goes through byte for byte', async ({ emitter }) => {
    await using collector = await startHookCollector(emitter.socket, 400)
    const garbage = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7) % 256))
    await emit(emitter, { stdin: garbage, shell: noDirectory(emitter, []) })
    const body = collector.received[0]?.body ?? Buffer.alloc(0)
    expect(body.subarray(body.indexOf('"payload":') + 10, -2)).toEqual(garbage)
  })

  test('no more than 32 MB are read', async ({ emitter }) => {
    await using collector = await startHookCollector(emitter.socket, 413)
    const shell = piped(emitter, Buffer.alloc(33 * 1024 * 1024, 'x'))
    const env = { PATH: emitter.patientPath({ returnsInTime: true }) }
    await emit(emitter, { shell: noDirectory(emitter, shell), env })
    await nothingLeft(emitter)
    const body = collector.received[0]?.body ?? Buffer.alloc(0)
    expect(body.length - body.indexOf('"payload":') - 12).toBe(32 * 1024 * 1024)
  })
})

test('a payload larger than 32 MB is dropped', async ({ emitter }) => {
  await using collector = await startHookCollector(emitter.socket)
  await emit(emitter, { shell: piped(emitter, Buffer.alloc(33 * 1024 * 1024, 'x')) })
  await nothingLeft(emitter)
  expect(emitter.spooled()).toEqual({ files: [], temporary: [] })
  expect(collector.received.length).toBe(0)
})

test.for([
  ['below a file', 'file/home'],
  ['on a device', '/dev/null'],
  ['with a name too long', 'x'.repeat(4000)],
])('a home %s is of no consequence to the caller', async ([, home], { emitter }) => {
  writeFileSync(join(emitter.root, 'file'), '')
  await emit(emitter, { env: { TRAILBOSS_HOME: home } })
})

test('without any home there is nowhere to send to', async ({ emitter }) => {
  await emit(emitter, { env: { HOME: undefined, TRAILBOSS_HOME: undefined } })
  expect(existsSync('/.local/state/trailboss')).toBe(false)
})

test.for([
  { variable: 'XDG_STATE_HOME', dir: 'state', home: 'state/trailboss' },
  { variable: 'HOME', dir: 'op', home: 'op/.local/state/trailboss' },
])('$variable tells where the home is', async ({ variable, dir, home }, { emitter }) => {
  const env = { TRAILBOSS_HOME: undefined, [variable]: join(emitter.root, dir) }
  await emit(emitter, { env })
  expect(statSync(join(emitter.root, home, 'spool')).isDirectory()).toBe(true)
})

test('only the owner can read what is spooled', async ({ emitter }) => {
  const home = join(emitter.root, 'new', 'home')
  await emit(emitter, {
    shell: ['sh', '-c', 'umask 0; exec sh "$@"', 'sh'],
    env: { TRAILBOSS_HOME: home },
  })
  const modeOf = (path: string) => statSync(path).mode & 0o777
  expect([modeOf(home), modeOf(join(home, 'spool'))]).toEqual([0o700, 0o700])
  const [file = ''] = readdirSync(join(home, 'spool'))
  expect(modeOf(join(home, 'spool', file))).toBe(0o600)
})

test('a link planted under the name of the temporary file is not written through', async ({
  emitter,
}) => {
  const victim = join(emitter.root, 'victim')
  writeFileSync(victim, 'untouched')
  mkdirSync(emitter.spool)
  const plant = `ln -s "${victim}" "$TRAILBOSS_HOME/spool/.$$-$PPID"; exec sh "$@"`
  await emit(emitter, { shell: ['sh', '-c', plant, 'sh'] })
  expect(readFileSync(victim, 'utf8')).toBe('untouched')
  expect(emitter.spooledEnvelopes()).toMatchObject([{ payload: PAYLOAD }])
})

test('a spool of 10,000 events takes no more', async ({ emitter }) => {
  mkdirSync(emitter.spool)
  const event = join(emitter.spool, '1-1.json')
  writeFileSync(event, '')
  for (let i = 2; i <= 10_000; i += 1) linkSync(event, join(emitter.spool, `${i}-1.json`))
  await emit(emitter)
  await cleanSpool(emitter, 10_000)
})

test('where date knows no milliseconds, seconds will do', async ({ emitter }) => {
  const PATH = emitter.pathWith({ date: 'echo 1794780423.3N' })
  await emit(emitter, { env: { PATH }, shell: [programPath('dash')] })
  expect(emitter.spooledEnvelopes()).toMatchObject([{ at: 1794780423000 }])
})

test.for([[], [''], ['Claude'], ['../x'], ['a"b'], ['-x'], ['x'.repeat(65)]])(
  'with the arguments %s nothing is sent',
  async (args, { emitter }) => {
    await using collector = await startHookCollector(emitter.socket)
    await emit(emitter, { args })
    expect(collector.received).toEqual([])
    expect(emitter.spooled()).toEqual({ files: [], temporary: [] })
  },
)

test('of 50 emitters at once none loses its event, and nothing is left behind', async ({
  emitter,
}) => {
  await using collector = await startHookCollector(emitter.socket)
  const sessions = Array.from({ length: 50 }, (_, i) => `session-${i}`)
  await Promise.all(
    sessions.map((session_id) => emit(emitter, { stdin: JSON.stringify({ session_id }) })),
  )
  await nothingLeft(emitter)
  expect(emitter.spooled().temporary).toEqual([])
  // One that was answered too late is spooled although it was received: at least once, never less.
  const seen = [...envelopes(collector), ...emitter.spooledEnvelopes()].map(
    (envelope) => (envelope as { payload: { session_id: string } }).payload.session_id,
  )
  expect([...new Set(seen)].toSorted()).toEqual(sessions.toSorted())
})
