import { type ChildProcess, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect } from 'vitest'
import { startOf } from '../../src/process/process-state.ts'
import type { World } from '../support/create-world.ts'
import { waitFor } from '../support/wait-for.ts'
import { test as base } from '../support/world.ts'

const bin = mkdtempSync(join(tmpdir(), 'tb-claude-'))
afterAll(() => rmSync(bin, { recursive: true, force: true }))

/** Shows a job, keeps every key that it gets, and ends with q, as the real one ends with Ctrl-Z. */
writeFileSync(
  join(bin, 'claude'),
  `#!/bin/sh
[ "$1" = attach ] || exit 1
[ "$2" != 0000dead ] || { echo "No job matching $2"; sleep 0.4; exit 1; }
stty -icanon -echo
printf 'This is job %s in %s\n' "$2" "$CLAUDE_CONFIG_DIR"
while key=$(dd bs=1 count=1 2>/dev/null) && [ "$key" != q ]; do printf %s "$key" >>"$HOME/keys"; done
`,
  { mode: 0o755 },
)

const test = base.override({ worldOptions: { pathFirst: bin } })

const workers: ChildProcess[] = []
afterEach(() => {
  for (const worker of workers.splice(0)) worker.kill('SIGKILL')
})

/** A session that Claude Code runs in the background, as its status file tells. */
function publish(world: World, job: string, more: object = {}): void {
  const worker = spawn('sleep', ['600'])
  workers.push(worker)
  const directory = join(world.home, '.claude', 'sessions')
  const cwd = join(world.dir, 'projects', `job-${job}`)
  for (const each of [directory, cwd]) mkdirSync(each, { recursive: true })
  const file = {
    ...{ pid: worker.pid, sessionId: `${job}-0000-4000-8000-000000000000`, cwd, jobId: job },
    ...{ startedAt: Date.now() - 5_000, procStart: String(startOf(worker.pid ?? 0)) },
    ...{ kind: 'bg', entrypoint: 'cli', status: 'waiting', waitingFor: 'permission prompt' },
    ...{ statusUpdatedAt: Date.now(), ...more },
  }
  writeFileSync(join(directory, `${worker.pid}.json`), JSON.stringify(file))
}

const jobs = async (world: World) =>
  (await world.queue()).map(({ session, pane }) => [session.slice(0, 8), pane?.id ?? null])
const listed = (world: World, count: number) =>
  world.waitForQueue(`${count} to be listed`, (items) => items.length === count)
const windows = async (world: World) =>
  (await world.tmux.run('list-windows', '-a', '-F', '#{window_name}')).split('\n')

describe('a session in the background', () => {
  test('is opened by Next in a window of its own, in its turn, and nothing is typed there', async ({
    world,
  }) => {
    const before = await windows(world)
    publish(world, '1111aaaa')
    await listed(world, 1)
    const agent = await world.agent('in-a-pane')
    await agent.stop('Done.')
    await listed(world, 2)
    publish(world, '2222bbbb')
    await listed(world, 3)
    expect(await jobs(world)).toEqual([
      ['1111aaaa', null],
      [agent.session.slice(0, 8), agent.pane.id],
      ['2222bbbb', null],
    ])

    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToSee(/^This is job 1111aaaa in\s*$/m)
    expect(await windows(world)).toContain('job-1111aaaa')
    const shown = await world.operator.pane()
    await world.waitForQueue('its pane to be known', ([item]) => item?.pane?.id === shown?.id)
    await world.operator.pressToBeTold(/this is the oldest one/, 'C-b', 'Tab')
    expect(() => readFileSync(join(world.home, 'keys'))).toThrow('ENOENT')

    await world.operator.press('q')
    await world.waitForQueue('its window to be closed', ([item]) => item?.pane === null)
    expect(await windows(world)).toEqual([...before, 'in-a-pane'])

    await world.trailboss('skip', '--session', '1111aaaa-0000-4000-8000-000000000000')
    await world.waitForQueue('the next one', ([item]) => item?.session === agent.session)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(agent.pane)
  })

  test('is opened by the popup, and once only, however often it is asked for', async ({
    world,
  }) => {
    publish(world, '3333cccc')
    await listed(world, 1)
    await world.operator.openPopup()
    await world.operator.waitToSee(/in the background: Enter shows it in a new window/)
    await world.operator.press('Enter')
    await world.operator.waitToSee(/^This is job 3333cccc/m)
    const client = await world.operator.clientName()
    for (let times = 0; times < 3; times += 1) await world.trailboss('next', '--client', client)
    expect((await windows(world)).filter((name) => name === 'job-3333cccc')).toHaveLength(1)
  })

  test('is skipped from its window', async ({ world }) => {
    publish(world, '4444dddd')
    publish(world, '5555eeee')
    await listed(world, 2)
    await world.operator.press('C-b', 'Tab')
    const first = (await jobs(world))[0]![0]!
    await world.operator.waitToSee(new RegExp(`^This is job ${first}`, 'm'))
    const shown = await world.operator.pane()
    await world.waitForQueue('its pane to be known', ([item]) => item?.pane?.id === shown?.id)
    await world.operator.press('C-b', 'S')
    const other = first === '4444dddd' ? '5555eeee' : '4444dddd'
    await world.operator.waitToSee(new RegExp(`^This is job ${other}`, 'm'))
    expect((await world.queue()).map(({ ready }) => ready)).toEqual([true, false])
  })

  test('that cannot be shown says why in its window, and can be skipped there', async ({
    world,
  }) => {
    const before = await windows(world)
    publish(world, '0000dead')
    await listed(world, 1)
    publish(world, '9999good')
    await listed(world, 2)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToSee(/^No job matching 0000dead/m)
    await world.operator.waitToSee(/with exit code 1\. Press Enter to close this window/)
    await world.operator.press('C-b', 'S')
    await world.operator.waitToSee(/^This is job 9999good/m)
    await world.operator.press('q')
    await world.operator.waitToSee(/^No job matching 0000dead/m)
    await world.operator.press('Enter')
    await waitFor(() => windows(world), {
      what: 'no window to be left',
      until: (now) => now.length === before.length,
    })
  })

  test.for(['a #{pane_id} %H;', `b 'c' "d" $e`, '#[f]'])(
    'in a directory called %s is opened there',
    async (name, { world }) => {
      const cwd = join(world.dir, 'projects', name)
      mkdirSync(cwd)
      publish(world, 'abcd0001', { cwd })
      await listed(world, 1)
      await world.operator.press('C-b', 'Tab')
      await world.operator.waitToSee(/^This is job abcd0001/m)
      const { id } = (await world.operator.pane())!
      const pid = await world.tmux.run('display-message', '-p', '-t', id, '#{pane_pid}')
      expect(readlinkSync(`/proc/${pid}/cwd`)).toBe(cwd)
    },
  )

  test('in a directory with a hostile name is opened, and nothing of the name is executed', async ({
    world,
  }) => {
    const touched = join(world.dir, 'touched')
    publish(world, 'abcd0002', { cwd: `/nowhere/#(touch ${touched})/$(touch ${touched})` })
    await listed(world, 1)
    await world.operator.press('C-b', 'Tab')
    const screen = await world.operator.waitToSee(/^This is job abcd0002/m)
    expect(screen).not.toMatch(/cd:|No such file/)
    expect(existsSync(touched)).toBe(false)
  })

  test('gets one window, however quickly the key is pressed', async ({ world }) => {
    publish(world, 'abcd0003')
    await listed(world, 1)
    for (let times = 0; times < 5; times += 1) await world.operator.press('C-b', 'Tab')
    await world.operator.waitToSee(/^This is job abcd0003/m)
    // A key that comes later is answered after those before it.
    await world.trailboss('next', '--client', await world.operator.clientName())
    expect((await windows(world)).filter((name) => name === 'job-abcd0003')).toHaveLength(1)
  })

  test('of another configuration is opened with that', async ({ world }) => {
    const config = join(world.home, 'work; claude')
    mkdirSync(join(config, 'projects', '-p'), { recursive: true })
    const event = {
      v: 1,
      kind: 'stuck',
      harness: 'claude-code',
      session: '6666ffff-1',
      at: Date.now(),
    }
    const where = { transcript: join(config, 'projects', '-p', 's.jsonl'), job: '6666ffff' }
    const body = JSON.stringify({ ...event, source: 'hook', reason: 'permission', ...where })
    await world.http('/v1/events', { method: 'POST', body })
    await listed(world, 1)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToSee(/^This is job 6666ffff in .*\/work; claude$/m)
  })

  test('is named in list and sessions', async ({ world }) => {
    publish(world, '7777abcd')
    publish(world, '8888abcd', { spare: true })
    await listed(world, 1)
    const list = await world.trailboss('list')
    expect(list.stdout).toMatch(/job-7777abcd\s+permission\s+background/)
    const sessions = await world.trailboss('sessions')
    expect(sessions.stdout).toMatch(/background .*7777abcd-/)
    expect(sessions.stdout).not.toContain('8888abcd')
    const explained = await world.trailboss('explain', '7777abcd')
    expect(explained.stdout).toMatch(/, in the background as 7777abcd, is stuck/)
    expect(explained.stdout).not.toMatch(/No key can take you/)
  })

  test('whose name is no word is refused', async ({ world }) => {
    const event = {
      v: 1,
      kind: 'stuck',
      harness: 'claude-code',
      session: 's',
      at: 1,
      source: 'api',
    }
    for (const job of ['', '-x', 'a b', 'a;b', '$(date)', 7]) {
      const body = JSON.stringify({ ...event, reason: 'stopped', job })
      const answer = await world.http('/v1/events', { method: 'POST', body })
      expect(answer.status, String(job)).toBe(400)
    }
  })
})
