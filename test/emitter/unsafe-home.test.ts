import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { test as base, describe, expect } from 'vitest'
import { waitFor } from '../support/wait-for.ts'
import { EmitterHome, type Outcome, programPath, type RunOptions } from './emitter-home.ts'
import { type HookCollector, startHookCollector } from './hook-collector.ts'

const NOBODY = 65_534
const SILENT_SUCCESS: Outcome = { code: 0, signal: null, stdout: '', stderr: '' }

const test = base.extend<{ emitter: EmitterHome; collector: HookCollector }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads a fixture's needs from its pattern
  emitter: async ({}, use) => {
    using emitter = new EmitterHome()
    await use(emitter)
  },
  collector: async ({ emitter }, use) => {
    await using collector = await startHookCollector(emitter.socket)
    await use(collector)
  },
})

const isRoot = process.getuid?.() === 0
const shells = [['dash'], ['bash', '--posix']] as const

/** As a hook: it must be able to write all of a payload that no pipe holds at once. */
async function emitLargePayload(emitter: EmitterHome, options: RunOptions = {}): Promise<void> {
  const payload = join(emitter.root, 'payload')
  const written = join(emitter.root, 'written')
  writeFileSync(payload, `"${'x'.repeat(1_000_000)}"`)
  const agent = `{ cat '${payload}' && : >'${written}'; } | "$@"`
  const { shell = [], env, args } = options
  const run = emitter.run({
    shell: ['sh', '-c', agent, 'sh', ...shell],
    env: { PATH: emitter.patientPath(), ...env },
    ...(args && { args }),
  })
  expect(await run).toEqual(SILENT_SUCCESS)
  await waitFor(() => existsSync(written), { what: 'the whole payload to be read' })
}

type Spoil = (emitter: EmitterHome) => void

function moveBehindLink(path: string, root: string): void {
  renameSync(path, join(root, 'elsewhere'))
  symlinkSync(join(root, 'elsewhere'), path)
}

const UNSAFE_HOMES: Record<string, Spoil> = {
  'is a link': ({ home, root }) => moveBehindLink(home, root),
  'can be entered by its group': ({ home }) => chmodSync(home, 0o710),
  'can be read by others': ({ home }) => chmodSync(home, 0o704),
  'can be written by others': ({ home }) => chmodSync(home, 0o702),
  'every user could replace': ({ root }) => chmodSync(root, 0o777),
  ...(isRoot && {
    'is of another user': ({ home }) => chownSync(home, NOBODY, NOBODY),
    'is of another user who listens': ({ home, socket }) => {
      chownSync(socket, NOBODY, NOBODY)
      chownSync(home, NOBODY, NOBODY)
    },
  }),
}

const UNSAFE_SOCKETS: Record<string, Spoil> = {
  'is a link': ({ socket, root }) => moveBehindLink(socket, root),
  ...(isRoot && {
    'is of another user': ({ socket }) => chownSync(socket, NOBODY, NOBODY),
    'is a link of another user': ({ socket, root }) => {
      moveBehindLink(socket, root)
      lchownSync(socket, NOBODY, NOBODY)
    },
  }),
}

describe.for(shells)('in %s', (shell) => {
  test.for(Object.entries(UNSAFE_HOMES))(
    'nothing is sent to or kept in a home that %s',
    async ([, spoil], { emitter, collector }) => {
      spoil(emitter)
      await emitLargePayload(emitter, { shell })
      expect(collector.received).toEqual([])
      expect(emitter.spooled()).toEqual({ files: [], temporary: [] })
    },
  )

  test.for(Object.entries(UNSAFE_SOCKETS))(
    'nothing is sent to a socket that %s; the event is kept',
    async ([, spoil], { emitter, collector }) => {
      spoil(emitter)
      await emitLargePayload(emitter, { shell })
      expect(collector.received).toEqual([])
      expect(emitter.spooled()).toEqual({ files: [expect.any(String)], temporary: [] })
    },
  )

  test.runIf(isRoot)('nothing is written to a spool of another user', async ({ emitter }) => {
    mkdirSync(emitter.spool, { mode: 0o777 })
    chownSync(emitter.spool, NOBODY, NOBODY)
    await emitLargePayload(emitter, { shell })
    expect(readdirSync(emitter.spool)).toEqual([])
  })

  test('a home that was found private is looked at again after something changed in it', async ({
    emitter,
    collector,
  }) => {
    for (let run = 1; run <= 3; run += 1) {
      await emitLargePayload(emitter, { shell })
      expect(collector.received).toHaveLength(run)
    }
    chmodSync(emitter.home, 0o777)
    writeFileSync(join(emitter.home, 'planted'), '')
    await emitLargePayload(emitter, { shell })
    expect(collector.received).toHaveLength(3)
  })

  test('nothing is sent to a home behind a link into a directory that every user can write to', async ({
    emitter,
    collector,
  }) => {
    const open = join(emitter.root, 'open')
    mkdirSync(open)
    renameSync(emitter.home, join(open, 'home'))
    chmodSync(open, 0o777)
    symlinkSync(open, join(emitter.root, 'link'))
    const TRAILBOSS_HOME = join(emitter.root, 'link', 'home')
    await emitLargePayload(emitter, { shell, env: { TRAILBOSS_HOME } })
    expect(collector.received).toEqual([])
    chmodSync(open, 0o1777)
    await emitLargePayload(emitter, { shell, env: { TRAILBOSS_HOME } })
    expect(collector.received).toHaveLength(1)
  })

  test.for(['/', '/.', '//', '/.//./'])(
    'a link is one also when it is written with %s at its end',
    async (end, { emitter, collector }) => {
      const env = { TRAILBOSS_HOME: `${emitter.home}${end}` }
      await emitLargePayload(emitter, { shell, env })
      expect(collector.received).toHaveLength(1)
      await waitFor(() => emitter.spooled().temporary.length === 0, { what: 'an empty spool' })
      moveBehindLink(emitter.home, emitter.root)
      await emitLargePayload(emitter, { shell, env })
      expect(collector.received).toHaveLength(1)
      expect(emitter.spooled()).toEqual({ files: [], temporary: [] })
    },
  )

  test.for(['line\nbreak', 'bell\u0007', 'delete\u007f'])(
    'nothing is kept in a home with a control character in its path (%j)',
    async (name, { emitter }) => {
      const TRAILBOSS_HOME = join(emitter.root, name)
      await emitLargePayload(emitter, { shell, env: { TRAILBOSS_HOME } })
      expect(existsSync(TRAILBOSS_HOME)).toBe(false)
    },
  )

  test('nothing is kept in a home that is relative to the directory of the agent', async ({
    emitter,
  }) => {
    await emitLargePayload(emitter, { shell, env: { TRAILBOSS_HOME: 'here' } })
    expect(existsSync(join(emitter.root, 'here'))).toBe(false)
  })

  test('looking at its mode costs no program as long as nothing changes in it', async ({
    emitter,
    collector,
  }) => {
    for (let run = 1; run <= 2; run += 1) await emitLargePayload(emitter, { shell })
    const withoutLs = emitter.pathWith({ ls: 'exit 1', curl: `exec ${programPath('curl')} "$@"` })
    const PATH = [withoutLs, process.env['PATH']].join(delimiter)
    await emitLargePayload(emitter, { shell, env: { PATH } })
    expect(collector.received).toHaveLength(3)
  })

  test.for([
    { what: 'without any home', env: { HOME: undefined, TRAILBOSS_HOME: undefined }, args: ['x'] },
    { what: 'without a harness', env: {}, args: [] },
    { what: 'for a harness that cannot be one', env: {}, args: ['../x'] },
  ])('$what the payload is read all the same', async ({ env, args }, { emitter, collector }) => {
    await emitLargePayload(emitter, { shell, env, args })
    expect(collector.received).toEqual([])
    expect(emitter.spooled()).toEqual({ files: [], temporary: [] })
  })

  test('where nothing can be kept and nobody listens, the payload is read all the same', async ({
    emitter,
  }) => {
    writeFileSync(emitter.spool, '')
    await emitLargePayload(emitter, { shell })
  })
})
