import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect } from 'vitest'
import type { MutesView, NoticesView, TestedView } from '../../src/contract/notice.ts'
import type { StatusView } from '../../src/contract/responses.ts'
import type { Notice } from '../../src/core/notice/notice-text.ts'
import { command } from '../support/command.ts'
import { createWorld, type World } from '../support/create-world.ts'
import { hasDesktop, linesIn, startDesktop } from '../support/notice/desktop.ts'
import { TMUX } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

const dir = mkdtempSync(join(tmpdir(), 'tb-notice-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

let files = 0
/** A command that writes each notice down, and the notices. */
function recorder(): { command: string[]; notices(): Notice[]; variables(): string } {
  files += 1
  const file = join(dir, `notices-${files}`)
  const script = 'env | grep ^TRAILBOSS_NOTICE_ | sort > "$0.env"; cat >> "$0"'
  return {
    command: ['/bin/sh', '-c', script, file],
    notices: () => linesIn(file).map((line) => JSON.parse(line) as Notice),
    variables: () => readFileSync(`${file}.env`, 'utf8'),
  }
}

const AT_ONCE = { afterSeconds: 0, togetherSeconds: 0 }

/** Everything that the operator's terminal gets, as bytes. */
async function terminalBytes(world: World): Promise<() => string> {
  const file = join(world.dir, 'terminal-bytes')
  writeFileSync(file, '')
  const pipe = ['pipe-pane', '-t', 'terminal:', `exec cat >> '${file}'`]
  await command(TMUX, ['-S', join(world.dir, 't0'), ...pipe], { env: world.env })
  return () => readFileSync(file, 'utf8')
}

const fates = async (world: World) => (await world.json<NoticesView>('notify')).waits
const count = (text: string, part: string) => text.split(part).length - 1

describe('on the command channel', () => {
  const said = recorder()
  const notify = { ...AT_ONCE, channels: ['command'], command: said.command }
  test.override({ worldOptions: { config: { notify } } })

  test('a notice is JSON and variables, without secrets', async ({ world }) => {
    const agent = await world.agent('api')
    const command = 'curl -H "Authorization: Bearer abcdefgh12345678abcdefgh"'
    await heldBack(world, 'curl', () => agent.askPermission({ command }))
    const [notice] = await waitFor(said.notices, {
      what: 'a notice',
      until: (all) => all.length > 0,
    })
    expect(notice).toMatchObject({
      level: 'first',
      title: 'api wants a permission',
      count: 1,
      items: [{ name: 'api', project: 'api', session: agent.session, pane: agent.pane.id }],
    })
    expect(notice?.text).toContain('[redacted]')
    expect(JSON.stringify(notice)).not.toContain('abcdefgh12345678')
    expect(said.variables()).toContain('TRAILBOSS_NOTICE_TITLE=api wants a permission\n')
    expect(said.variables()).toContain(`TRAILBOSS_NOTICE_ID=${notice?.id}\n`)

    const [wait] = await fates(world)
    expect(wait).toMatchObject({ name: 'api', fate: { kind: 'announced', level: 'first' } })
    const { stdout } = await world.trailboss('notify', '--status')
    expect(stdout).toMatch(/command: ready, last used/)
    expect(stdout).toMatch(/api +\d+s +permission +sent \d+s ago/)
  })
})

describe('in the terminal', () => {
  const channels = ['osc9', 'osc777', 'osc99', 'bell', 'message']
  test.override({ worldOptions: { config: { notify: { ...AT_ONCE, channels } } } })

  test('each channel shows a wait once, in whole sequences, whatever the text is', async ({
    world,
  }) => {
    const bytes = await terminalBytes(world)
    const agent = await world.agent('api')
    const hostile = 'All done; see \u001b]0;evil\u0007 #(touch /tmp/x) 100%d'
    await heldBack(world, 'All done', () => agent.stop(hostile))
    const text = await waitFor(bytes, {
      what: 'all sequences',
      until: (all) =>
        ['\u001b]9;', '\u001b]777;', ';', 'p=body;'].every((one) => all.includes(one)),
    })
    const ask = 'All done; see #(touch /tmp/x) 100%d'
    const where = 'claude-code in work:api'
    expect(text).toContain(`\u001b]9;Trail Boss: api has finished (${where}: ${ask})\u001b\\`)
    expect(text).toContain(
      `\u001b]777;notify;api has finished;${where}: ${ask.replaceAll(';', '；')}\u001b\\`,
    )
    expect(text).toMatch(/\]99;i=trailboss-[0-9a-f]{16}:d=0:u=1:p=title;api has finished.\\/)
    expect(text).not.toContain('evil')
    await world.operator.waitToSee(/trailboss: api has finished .*100%d/)
    // The agent continues, and the next wait is announced on its own.
    await agent.prompt('Go on')
    await world.waitForQueue('nothing to wait', (items) => items.length === 0)
    await heldBack(world, 'Again', () => agent.stop('Again'))
    await waitFor(bytes, {
      what: 'the next one',
      until: (all) => all.includes(': Again') && count(all, 'p=body;') === 2,
    })
    expect(count(bytes(), '\u001b]9;')).toBe(2)
    expect(count(bytes(), '\u001b]777;')).toBe(2)
    // tmux's own output has bells of no kind here: each one ends no sequence.
    expect(count(bytes(), '\u0007')).toBe(2)
    expect(agent.keys()).toBe('')
    await world.operator.press('Enter')
    await world.operator.type('echo the screen is $((40+2))')
    await world.operator.press('Enter')
    await world.operator.waitToSee(/the screen is 42/)
  })
})

describe('while the operator looks', () => {
  const said = recorder()
  const notify = { ...AT_ONCE, channels: ['command'], command: said.command }
  test.override({ worldOptions: { config: { notify } } })

  test('at the pane nothing is said; it is said once they look away', async ({ world }) => {
    const seen = await world.agent('seen')
    const other = await world.agent('other')
    await world.operator.lookAt(seen.pane)
    await world.operator.press('x')
    await seen.stop('Done')
    await waitFor(() => fates(world), {
      what: 'it to be held',
      until: ([wait]) => wait?.fate.kind === 'held' && wait.fate.by === 'look',
    })
    expect((await world.trailboss('notify')).stdout).toContain('later: you look at its pane')
    await other.stop('Done, too')
    await waitFor(said.notices, { what: 'the other one', until: (all) => all.length === 1 })
    expect(said.notices()[0]?.items.map(({ name }) => name)).toEqual(['other'])
    await world.operator.lookAt(other.pane)
    await waitFor(said.notices, { what: 'the first one', until: (all) => all.length === 2 })
    expect(said.notices()[1]?.items.map(({ name }) => name)).toEqual(['seen'])
  })
})

describe('before its time', () => {
  const said = recorder()
  const notify = { channels: ['command'], command: said.command, togetherSeconds: 0 }
  test.override({ worldOptions: { config: { notify: { ...notify, afterSeconds: 5 } } } })

  test('an answered wait is not announced, and one that still waits is', async ({ world }) => {
    await stuck(world, 'quick', 'May I?')
    await stuck(world, 'slow', 'May I?')
    await report(world, { kind: 'unstuck', session: 'quick', prompt: true }, 'quick')
    const { text } = await world.http('/v1/notices')
    expect((JSON.parse(text) as NoticesView).waits).toMatchObject([
      { session: 'slow', fate: { kind: 'held', by: 'time' } },
    ])
    await waitFor(said.notices, { what: 'a notice', until: (all) => all.length > 0 })
    const [notice] = said.notices()
    expect(notice?.items.map(({ session }) => session)).toEqual(['slow'])
    expect(Date.now() - (notice?.items[0]?.since ?? 0)).toBeGreaterThanOrEqual(5_000)
  })
})

describe('several at once', () => {
  const said = recorder()
  const notify = { channels: ['command'], command: said.command, showAsk: false }
  const together = { ...notify, afterSeconds: 0, togetherSeconds: 3 }
  test.override({ worldOptions: { config: { notify: together } } })

  test('are one notice, which on a shared screen does not say what is asked', async ({ world }) => {
    for (const name of ['a', 'b', 'c', 'd']) await stuck(world, name, 'Which password is it?')
    await waitFor(said.notices, { what: 'a notice', until: (all) => all.length > 0 })
    const [notice] = said.notices()
    expect(notice?.line).toMatch(/^4 agents wait, oldest: a, \d s$/)
    expect(notice?.items.map(({ ask }) => ask)).toEqual([null, null, null, null])
    expect(JSON.stringify(notice)).not.toContain('Which')
    await stuck(world, 'e', 'Which password is it?')
    await waitFor(said.notices, { what: 'another', until: (all) => all.length === 2 })
    expect(said.notices()[1]).toMatchObject({ title: 'e asks', count: 1 })
  })
})

describe('a program without a terminal', () => {
  const said = recorder()
  const notify = { ...AT_ONCE, channels: ['command'], command: said.command }
  test.override({ worldOptions: { config: { notify } } })

  test('that asks through us is announced like any other, without its secrets', async ({
    world,
  }) => {
    const args = ['Deploy with password=hunter2-99-secret?', '--name', 'deploy.sh']
    const asking = world.trailboss('ask', ...args)
    await waitFor(said.notices, { what: 'a notice', until: (all) => all.length > 0 })
    expect(said.notices()).toMatchObject([
      { title: 'home asks', text: 'deploy.sh: Deploy with password=[redacted]', count: 1 },
    ])
    const [item] = await world.queue()
    await world.trailboss('decide', item?.about?.id ?? '', 'no')
    expect(await asking).toMatchObject({ code: 0, stdout: 'no\n' })
    expect(said.notices()).toHaveLength(1)
  })
})

describe('an agent that was dismissed', () => {
  const said = recorder()
  const notify = { ...AT_ONCE, channels: ['command'], command: said.command }
  test.override({ worldOptions: { config: { notify } } })

  test('is announced once more when it comes back with a new ask', async ({ world }) => {
    const agent = await world.agent('api')
    await heldBack(world, 'All done', () => agent.stop('All done'))
    await waitFor(said.notices, { what: 'the first notice', until: ({ length }) => length === 1 })
    await world.trailboss('dismiss', agent.session)
    await world.waitForQueue('it to be dismissed', (items) => items.length === 0)
    await agent.askPermission({ command: 'touch fence' })
    const notices = await waitFor(said.notices, {
      what: 'the second notice',
      until: ({ length }) => length === 2,
    })
    expect(notices.map(({ level }) => level)).toEqual(['first', 'first'])
    expect(notices[1]?.title).toBe('api wants a permission')
    expect(notices[1]?.items[0]?.episode).not.toBe(notices[0]?.items[0]?.episode)
  })
})

describe('mute', () => {
  const said = recorder()
  const notify = { ...AT_ONCE, channels: ['command'], command: said.command }
  test.override({ worldOptions: { config: { notify } } })

  test('holds a project, a harness or a session back, until its time or --off', async ({
    world,
  }) => {
    await stuck(world, 'warm', 'Hello?', 'other')
    await waitFor(said.notices, { what: 'the first', until: (all) => all.length === 1 })
    await working(world, 'known', 'api')
    const muted = await world.trailboss('mute', 'api', '2h')
    expect(muted).toMatchObject({ code: 0 })
    expect(muted.stdout).toMatch(
      /^Muted: project api for 2h\d*m?\. The queue lists it as before\.\n$/,
    )
    await stuck(world, 'known', 'May I?', 'api')
    await waitFor(() => fates(world), {
      what: 'it to be muted',
      until: (waits) => waits.some(({ fate }) => fate.kind === 'held' && fate.by === 'mute'),
    })
    expect(await world.json<MutesView>('mute')).toMatchObject({
      mutes: [{ kind: 'project', name: 'api' }],
    })
    // It survives a restart.
    await world.killDaemon9()
    await world.up()
    expect((await world.trailboss('mute')).stdout).toMatch(/api +project +(2h00m|1h59m)/)
    expect(await world.trailboss('mute', 'claude-code')).toMatchObject({ code: 0 })
    expect(await world.trailboss('mute', 'known', '1m')).toMatchObject({ code: 0 })
    expect(said.notices()).toHaveLength(1)
    for (const name of ['api', 'known', 'claude-code']) {
      expect(await world.trailboss('mute', name, '--off')).toMatchObject({ code: 0 })
    }
    await waitFor(said.notices, { what: 'it to be said', until: (all) => all.length === 2 })
    expect(said.notices()[1]).toMatchObject({ items: [{ session: 'known', ask: 'May I?' }] })
    expect((await world.trailboss('mute')).stdout).toBe('Nothing is muted.\n')
  })

  test('refuses what it does not know or cannot read, and loses nothing', async ({ world }) => {
    await working(world, 'known', 'api')
    expect(await world.trailboss('mute', 'api', '2h')).toMatchObject({ code: 0 })
    const wrong: [args: string[], code: number, said: RegExp][] = [
      [['mute', 'nosuch'], 4, /No agent, project, harness, session or pane "nosuch" is known/],
      [['mute', 'nosuch', '--off'], 4, /"nosuch" is not muted/],
      [['mute', 'api', 'soon'], 2, /Such as 45s, 30m, 2h or 1d/],
      [['mute', 'api', '0s'], 2, /Such as/],
      [
        ['mute', 'api', '999999d'],
        2,
        /'999999d' .* At most 3650d; without a time, it is muted until --off/,
      ],
      [['mute', 'all', '999999d'], 2, /At most 3650d/],
      [['mute', '--off'], 2, /--off needs a target/],
      [['mute', 'api', '1h', '--off'], 2, /--off takes no time/],
      [['mute', ''], 2, /target/],
      [['notify', '--test', 'pigeon'], 2, /One of message, bell/],
    ]
    for (const [args, code, text] of wrong) {
      const result = await world.trailboss(...args)
      expect({ args, ...result }).toMatchObject({ args, code })
      expect(result.stderr).toMatch(text)
    }
    expect((await world.json<MutesView>('mute')).mutes).toHaveLength(1)
  })
})

test.skipIf(!hasDesktop())('a desktop shows a wait once, and nothing in it is markup', async () => {
  const notify = { ...AT_ONCE, channels: ['desktop'] }
  await using world = await createWorld({ config: { notify }, up: false })
  await using desktop = await startDesktop(world.dir)
  world.env['DBUS_SESSION_BUS_ADDRESS'] = desktop.address
  await world.up()
  await stuck(world, '--help', 'Run <img src="file:///x"> & <b>that</b>?')
  await waitFor(desktop.notifications, { what: 'a notification', until: (all) => all.length > 0 })
  await waitFor(() => fates(world), {
    what: 'it to be known as announced',
    until: ([wait]) => wait?.fate.kind === 'announced',
  })
  expect(desktop.notifications()).toEqual([
    {
      app: 'Trail Boss',
      summary: '--help asks',
      body: 'my-agent: Run &lt;img src="file:///x"&gt; &amp; &lt;b&gt;that&lt;/b&gt;?',
      urgency: 1,
    },
  ])
})

describe('a command that fails', () => {
  const flag = join(dir, 'works-now')
  const script = `[ -e '${flag}' ] && exec cat >> "$0"; yes flooding | head -c 30000000; echo broken >&2; exit 3`
  const file = join(dir, 'failing')
  const notify = { ...AT_ONCE, channels: ['command'], command: ['/bin/sh', '-c', script, file] }
  test.override({ worldOptions: { config: { notify } } })

  test('is retried, shown in status and doctor, and delays nothing', async ({ world }) => {
    await stuck(world, 'a', 'May I?')
    const status = await waitFor(() => world.json<StatusView>('status'), {
      what: 'a warning',
      until: ({ warnings }) => warnings.length > 0,
    })
    expect(status.warningKinds).toEqual(['notify'])
    expect(status.warnings[0]).toMatch(
      /^Notices fail on the channel command \(.*\): \/bin\/sh exited with 3: .*broken\.$/,
    )
    expect((await world.trailboss('doctor')).stdout).toMatch(
      /! notices +Notices fail on the channel/,
    )
    expect((await world.trailboss('notify')).stdout).toMatch(/command: failed \d+×, next try in/)
    // A restart forgets nothing that it owes.
    await world.killDaemon9()
    writeFileSync(flag, '')
    await world.up()
    await waitFor(() => linesIn(file), { what: 'the notice', until: (all) => all.length > 0 })
    await waitFor(() => world.json<StatusView>('status'), {
      what: 'no warning',
      until: ({ warnings }) => warnings.length === 0,
    })
    expect(linesIn(file)).toHaveLength(1)
  })
})

describe('a command that hangs', () => {
  const file = join(dir, 'hanging')
  const argv = ['/bin/sh', '-c', 'trap "" TERM; echo started >> "$0"; sleep 600 & wait', file]
  const notify = { ...AT_ONCE, channels: ['command', 'message'], command: argv }
  test.override({ worldOptions: { config: { notify } } })

  test('is killed with all that it started, while everything else goes on', async ({ world }) => {
    await stuck(world, 'a', 'May I?')
    await waitFor(() => linesIn(file), { what: 'it to hang', until: (all) => all.length > 0 })
    await world.operator.waitToSee(/trailboss: a asks/)
    for (let n = 0; n < 20; n++) await stuck(world, `b${n}`, 'Me too?')
    const { text } = await world.http('/v1/notices')
    expect((JSON.parse(text) as NoticesView).channels[0]).toMatchObject({ state: 'busy' })
    const { warnings } = await waitFor(() => world.json<StatusView>('status'), {
      what: 'a warning',
      until: (status) => status.warnings.length > 0,
    })
    expect(warnings[0]).toMatch(/did not end within 10 s, and was killed/)
  })
})

describe('without a channel that works', () => {
  test('notices are off by default, and it says how to turn them on', async ({ world }) => {
    await stuck(world, 'a', 'May I?')
    expect((await world.trailboss('notify')).stdout).toMatch(/^Notices are off\. Turn them on/)
    const test = await world.trailboss('notify', '--test')
    expect(test).toMatchObject({ code: 2 })
    expect(test.stderr).toMatch(/Notices are off.*\(BAD_CONFIG\)/)
    const message = await world.json<TestedView>('notify', '--test', 'message')
    expect(message.results).toEqual([{ channel: 'message', result: 'sent', why: null }])
    await world.operator.waitToSee(/trailboss: This is a test of Trail Boss/)
    const command = await world.trailboss('notify', '--test', 'command')
    expect(command).toMatchObject({
      code: 1,
      stdout: 'command: failed: no command is set: add "command" to "notify" in config.json\n',
    })
  })

  test('it says when the daemon has not read the settings yet', async ({ world }) => {
    expect((await world.trailboss('notify')).stderr).toBe('')
    const notify = { channels: ['command'], command: ['true'] }
    writeFileSync(join(world.state, 'config.json'), JSON.stringify({ notify }))
    for (const args of [[], ['--test'], ['--test', 'message'], ['--json']]) {
      const { stderr } = await world.trailboss('notify', ...args)
      expect(stderr).toMatch(
        /^warning: .*config\.json has changed since the daemon read it: trailboss restart takes in notify\.\n/,
      )
    }
    expect(await world.trailboss('restart')).toMatchObject({ code: 0 })
    expect(await world.trailboss('notify', '--test')).toMatchObject({
      code: 0,
      stdout: 'command: sent\n',
      stderr: '',
    })
  })

  test('bad settings are refused with what is wrong', async () => {
    await using world = await createWorld({ up: false })
    const wrong: [notify: object, said: RegExp][] = [
      [{ channels: ['pigeon'] }, /channels/],
      [{ channels: ['command'] }, /needs the setting "command"/],
      [{ quietHours: '22-7' }, /two times, such as 22:00-07:00/],
      [{ afterSeconds: -1 }, /afterSeconds/],
      [{ afterSeconds: '15' }, /afterSeconds/],
      [{ labels: ['everything'] }, /labels/],
      [{ volume: 11 }, /volume/],
    ]
    for (const [notify, text] of wrong) {
      writeFileSync(join(world.state, 'config.json'), JSON.stringify({ notify }))
      const { code, stderr } = await world.trailboss('up')
      expect({ notify, code }).toEqual({ notify, code: 2 })
      expect(stderr).toMatch(text)
    }
  })
})

/** A program without a pane that asks. */
/** A status file may say that an agent waits before its hook says for what: it is announced once both are known. */
async function heldBack(world: World, ask: string, wait: () => Promise<void>): Promise<void> {
  expect(await world.trailboss('mute', 'claude-code')).toMatchObject({ code: 0 })
  await wait()
  await world.waitForQueue(
    `"${ask}" to be listed`,
    ([item]) => item?.ask.text.includes(ask) ?? false,
  )
  expect(await world.trailboss('mute', 'claude-code', '--off')).toMatchObject({ code: 0 })
}

async function stuck(
  world: World,
  session: string,
  text: string,
  project = session,
): Promise<void> {
  await report(
    world,
    { kind: 'stuck', session, reason: 'permission', block: 'b', ask: { text }, label: 'asks' },
    project,
  )
}

async function working(world: World, session: string, project: string): Promise<void> {
  await report(world, { kind: 'seen', session }, project)
}

async function report(
  world: World,
  event: Record<string, unknown>,
  project: string,
): Promise<void> {
  const at = Date.now()
  const body = {
    v: 1,
    harness: 'my-agent',
    at,
    source: 'api',
    cwd: `/projects/${project}`,
    ...event,
  }
  const { status, text } = await world.http('/v1/events', { method: 'POST', body })
  expect({ status, text }).toMatchObject({ status: 202 })
}
