import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Scout } from '../../src/daemon/scout.ts'
import { StatusFollower } from '../../src/daemon/status-follower.ts'
import { parseOwnScreenRules } from '../../src/harness/own-screen-rules.ts'
import { createScreenReader } from '../../src/harness/screen-reader.ts'
import { isAlive } from '../support/processes.ts'
import { createTestHerd, type TestHerd } from '../support/test-herd.ts'
import { startTmuxServer, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

const RULE = '─'.repeat(60)
const AT_REST = `● Done.\n\n${RULE}\n❯ \n${RULE}\n  ? for shortcuts\n`

let world: TestHerd
let server: TmuxServer
let statuses: StatusFollower
let scout: Scout

/** A pane whose shell runs a program by the name of Claude Code, until its input ends. */
beforeEach(async () => {
  world = createTestHerd()
  const { dir, herd, inventory, ingest, log } = world
  const program = join(dir, 'claude')
  copyFileSync('/bin/cat', program)
  writeFileSync(join(dir, 'screen'), AT_REST)
  mkdirSync(join(dir, 'home'))
  const env = {
    PATH: process.env['PATH'],
    HOME: join(dir, 'home'),
    TERM: 'xterm-256color',
    PS1: '',
  }
  server = await startTmuxServer({
    socket: join(dir, 't'),
    env,
    session: 'work',
    shellCommand: `sh -c '"${program}" "${join(dir, 'screen')}" -; sleep 60'`,
    cwd: dir,
  })
  statuses = new StatusFollower({
    ...{ ingest, inventory, log, env },
    checkProcess: () => {},
    turnEnd: () => ({
      byHook: undefined,
      byAnyone: undefined,
      isPromptQueued: false,
      isToldByHooks: false,
    }),
  })
  const screens = createScreenReader(parseOwnScreenRules('own', '{}'))
  scout = new Scout({ herd, inventory, ingest, statuses, screens })
  await waitFor(() => server.run('capture-pane', '-p', '-t', '%0'), {
    what: 'the program to show its prompt',
    until: (shown) => shown.includes('❯'),
  })
  await inventory.refresh(server.socket)
  scout.look()
})
afterEach(async () => {
  await server.stop()
  statuses[Symbol.dispose]()
  world[Symbol.dispose]()
})

/** What stays on the screen counts at the second look. */
async function lookTwice(): Promise<string[]> {
  await scout.lookAtScreens()
  await scout.lookAtScreens()
  return [...world.herd.sessions()].map(({ verdict }) => verdict.state)
}

describe('a program that tells nothing of itself', () => {
  test('is listed by what its screen shows', async () => {
    expect(await lookTwice()).toEqual(['stuck'])
  })

  test('is watched closely while it is new, until it publishes its state', async () => {
    expect(scout.isWatching).toBe(true)
    const sessions = join(world.dir, 'home', '.claude', 'sessions')
    mkdirSync(sessions, { recursive: true })
    writeFileSync(join(sessions, `${await programPid()}.json`), '{}')
    expect(scout.isWatching).toBe(false)
  })

  test('is not heard of any more once it has ended, whatever it left on the screen', async () => {
    const pid = await programPid()
    await server.run('send-keys', '-t', '%0', 'C-d')
    await waitFor(() => !isAlive(pid), { what: 'the program to end' })
    expect(await server.run('capture-pane', '-p', '-t', '%0')).toContain('❯')
    expect(await lookTwice()).toEqual([])
  })
})

async function programPid(): Promise<number> {
  const pane = await server.run('display-message', '-p', '-t', '%0', '#{pane_pid}')
  return Number(readFileSync(`/proc/${pane}/task/${pane}/children`, 'utf8').trim())
}
