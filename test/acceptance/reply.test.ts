import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect } from 'vitest'
import type { AuditView, ReplyView } from '../../src/contract/supervisor.ts'
import type { AuditLine } from '../../src/core/audit.ts'
import { command } from '../support/command.ts'
import { createWorld, TRAILBOSS, type World } from '../support/create-world.ts'
import { freePort } from '../support/free-port.ts'
import { http } from '../support/http.ts'
import { type Operator, seatOperator } from '../support/operator.ts'
import { type ComposerAgent, startComposerAgent } from '../support/supervisor/composer-agent.ts'
import { startTmuxServer, TMUX } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'
import { test, testsInOneWorld } from '../support/world.ts'

const MARK = String.raw`\[tb:[a-z0-9]{10}\]`
const marked = (text: string) => expect.stringMatching(new RegExp(`^${MARK} ${text}$`))
const ACK_TIMEOUT_MS = 1_500

describe('with replies off, as they are by default', () => {
  test('the key says how to turn them on, the command and the route refuse, and nothing is typed', async () => {
    await using world = await createWorld({ recordTmux: true })
    const agent = await startComposerAgent(world, 'pony')
    await world.operator.openPopup()
    for (const key of ['m', 'M']) {
      await world.operator.press(key)
      await world.operator.waitToSee(/Replies are off\. Set "reply": true in config\.json/)
      // Whatever follows is for the list, which has no key for it.
      await world.operator.type('aaa')
    }
    await world.operator.closePopup()
    const refused = await world.trailboss('reply', agent.session, 'Go on.')
    expect(refused).toMatchObject({ code: 5, stdout: '' })
    expect(refused.stderr).toMatch(/Replies are off.*\(REPLY_OFF\)\n.*"reply": true/s)
    const body = { harness: 'claude-code', session: agent.session, text: 'Go on.' }
    expect(await world.http('/reply', { method: 'POST', body })).toMatchObject({ status: 403 })
    expect(inputOf(agent)).toEqual([])
    const writes = /\b(send-keys|paste-buffer|load-buffer|set-buffer)\b/
    expect(world.tmuxCalls().filter((call) => writes.test(call.join(' ')))).toEqual([])
  })
})

describe('a reply from the popup', () => {
  test.override({ worldOptions: { config: { reply: true } } })

  test('reaches the session that the operator looks at, once, and the popup says what proves it', async ({
    world,
  }) => {
    const agent = await startComposerAgent(world, 'pony')
    await world.operator.lookAt(agent.pane)
    await world.operator.openPopup()
    await world.operator.waitToSee(/m reply/)
    await world.operator.press('m')
    await world.operator.waitToSee(/to \S+: .*↵ send/)
    await world.operator.type('Mind the goose.x')
    await world.operator.press('BSpace', 'Enter')
    await world.operator.waitToSee(/Delivered in \d\.\ds \(confirmed by its (hook|transcript)\)/)
    expect(agent.submitted()).toEqual(['Begin.', marked('Mind the goose.')])
  })

  test('written in two windows at once arrives once each, in order, or is refused', async ({
    world,
  }) => {
    const agent = await startComposerAgent(world, 'pony')
    await using second = await secondSeat(world)
    const seats = [world.operator, second.operator]
    for (const operator of seats) {
      await operator.openPopup()
      await operator.press('m')
      await operator.waitToSee(/to \S+: .*↵ send/)
    }
    await seats[0]?.type('From the left.')
    await seats[1]?.type('From the right.')
    await Promise.all(seats.map((operator) => operator.press('Enter')))
    const seen = await Promise.all(
      seats.map((operator) => operator.waitToSee(/Delivered in|Not sent\./)),
    )
    const delivered = seen.filter((screen) => screen.includes('Delivered in'))
    expect(delivered.length).toBeGreaterThan(0)
    expect(agent.submitted().slice(1)).toHaveLength(delivered.length)
    expect(new Set(agent.submitted()).size).toBe(1 + delivered.length)
  })

  test('arrives, even if the popup is left in the same moment', async ({ world }) => {
    const agent = await startComposerAgent(world, 'pony')
    await world.operator.openPopup()
    await world.operator.type('mMind the goose.\rqq')
    await world.operator.popupGone()
    await waitFor(() => agent.submitted(), {
      what: 'the reply to be submitted',
      until: (submitted) => submitted.some((text) => text.endsWith('Mind the goose.')),
    })
  })

  test('is left with Esc, and nothing is typed', async ({ world }) => {
    const agent = await startComposerAgent(world, 'pony')
    await world.operator.openPopup()
    await world.operator.press('m')
    await world.operator.type('Never mind')
    await world.operator.waitToSee(/: Never mind/)
    await world.operator.press('Escape')
    await world.operator.waitToSee(/↵ jump/)
    await world.operator.closePopup()
    expect(inputOf(agent)).toEqual([])
  })

  test('that is refused stays written, and goes out when the way is free', async ({ world }) => {
    const agent = await startComposerAgent(world, 'pony')
    agent.setFaults({ shows: 'dialog' })
    await shows(agent, /Do you want to proceed/)
    await world.operator.openPopup()
    await world.operator.press('m')
    await world.operator.type('Mind the goose.')
    await world.operator.press('Enter')
    await world.operator.waitToSee(/Not sent\. It shows a dialog: go there and answer it\./)
    expect(inputOf(agent)).toEqual([])
    agent.setFaults({})
    await shows(agent, /^❯/m)
    await world.operator.press('m')
    await world.operator.waitToSee(/: Mind the goose\./)
    await world.operator.press('Enter')
    await world.operator.waitToSee(/Delivered in/)
    expect(agent.submitted()).toEqual(['Begin.', marked('Mind the goose.')])
  })

  test('can be written in the editor, with line breaks, and the popup is back after it', async ({
    world,
  }) => {
    const editor = join(world.dir, 'editor.sh')
    const script = `#!/bin/sh\nprintf 'On the screen of the editor\\n'; read -r go\nprintf 'One.\\nTwo.\\n' > "$1"\n`
    writeFileSync(editor, script, { mode: 0o755 })
    await world.tmux.run('set-environment', '-g', 'VISUAL', editor)
    const agent = await startComposerAgent(world, 'pony')
    await world.operator.openPopup()
    await world.operator.press('M')
    await world.operator.waitToSee(/On the screen of the editor/)
    await world.operator.press('Enter')
    await world.operator.waitToSee(/Trail Boss[\s\S]*Delivered in/)
    await world.operator.closePopup()
    expect(agent.submitted()).toEqual(['Begin.', marked('One\\.\nTwo\\.')])
  })

  test('for an agent that asks for permission is refused before anything can be written', async ({
    world,
  }) => {
    const agent = await startComposerAgent(world, 'pony', { prompt: 'Ask first.' })
    await world.operator.openPopup()
    await world.operator.press('m')
    await world.operator.waitToSee(/It shows a dialog: go there and answer it\./)
    await world.operator.closePopup()
    expect(inputOf(agent)).toEqual([])
  })
})

const oneWorld = testsInOneWorld({
  config: { reply: true, supervisor: { delivery: { ackTimeoutMs: ACK_TIMEOUT_MS } } },
})

describe('trailboss reply', () => {
  oneWorld(
    'takes the text from its arguments, a file or stdin, and reports the proof',
    async ({ world }) => {
      const agent = await startComposerAgent(world, 'by-words')
      const first = await world.trailboss('reply', agent.session.slice(0, 8), 'Go', 'on.')
      expect(first).toMatchObject({ code: 0, stderr: '' })
      expect(first.stdout).toMatch(
        /^Delivered in \d\.\ds \(confirmed by its (hook|transcript)\)\.$/m,
      )
      const file = join(world.dir, 'text')
      writeFileSync(file, 'From a\nfile.\n')
      await finished(world, agent)
      const view = await world.json<ReplyView>('reply', agent.pane.id, '--file', file)
      expect(view).toMatchObject({ session: agent.session, harness: 'claude-code' })
      await finished(world, agent)
      const options = { env: world.env, stdin: 'From stdin.\n' }
      expect(await command(TRAILBOSS, ['reply', agent.session], options)).toMatchObject({ code: 0 })
      expect(agent.submitted().slice(1)).toEqual(
        ['Go on\\.', 'From a\nfile\\.', 'From stdin\\.'].map(marked),
      )
    },
  )

  oneWorld(
    'leaves audit lines with who, the hash and the proof, and no text',
    async ({ world }) => {
      const agent = await startComposerAgent(world, 'audited')
      const { id } = await world.json<ReplyView>('reply', agent.session, 'The gate is 4711.')
      const lines = await auditOf(world, id)
      expect(lines.map(({ kind }) => kind)).toEqual([
        ...['reply_claimed', 'pane_written', 'key_pressed', 'ack_received', 'reply_delivered'],
      ])
      expect(new Set(lines.map(({ actor, result }) => `${actor.split(':')[0]} ${result}`))).toEqual(
        new Set(['operator ok']),
      )
      expect(lines[1]?.payload).toMatchObject({ sha256: expect.any(String), bytes: 33 })
      expect(JSON.stringify(lines)).not.toContain('4711')
    },
  )

  oneWorld('is confirmed by the transcript alone if no hook comes', async ({ world }) => {
    const agent = await startComposerAgent(world, 'hookless')
    agent.setFaults({ mutesHooks: true })
    const view = await world.json<ReplyView>('reply', agent.session, 'Go on.')
    expect(view.confirmedBy).toBe('transcript')
  })

  oneWorld('two at once arrive once each, in order, or are refused', async ({ world }) => {
    const agent = await startComposerAgent(world, 'popular')
    const texts = ['First.', 'Second.', 'Third.']
    const results = await Promise.all(
      texts.map((text) => world.trailboss('reply', agent.session, text)),
    )
    const delivered = texts.filter((_, index) => results[index]?.code === 0)
    expect(delivered.length).toBeGreaterThan(0)
    expect(results.filter(({ code }) => code !== 0 && code !== 1)).toEqual([])
    const got = agent.submitted().slice(1)
    expect(got.map((text) => text.slice(16)).toSorted()).toEqual(delivered.toSorted())
    expect(agent.log().filter(({ kind }) => kind === 'pasted')).toHaveLength(delivered.length)
  })

  oneWorld('cleans hostile text, and refuses what is empty or too long', async ({ world }) => {
    const agent = await startComposerAgent(world, 'target')
    const hostile = 'a\u001b[201~b\u0003c\u001b]0;t\u0007d\u202ee [tb:aaaaaaaaaa]\r'
    expect(await send(world, agent, hostile)).toMatchObject({ status: 200 })
    const typed = agent.log().flatMap(({ kind, text }) => (kind === 'pasted' ? [text] : []))
    expect(typed).toEqual([marked('abcde \\(tb:aaaaaaaaaa\\]')])
    await finished(world, agent)
    const refusals = await Promise.all([
      send(world, agent, ''),
      send(world, agent, ' \n\u001b[31m\u0007 '),
      send(world, agent, 'x'.repeat(100_000)),
    ])
    expect(refusals.map(({ status }) => status)).toEqual([400, 400, 413])
    expect(agent.submitted()).toHaveLength(2)
  })
})

describe('a reply is refused, and nothing is typed', () => {
  oneWorld('onto a dialog that only the screen shows', async ({ world }) => {
    const agent = await startComposerAgent(world, 'asking')
    agent.setFaults({ shows: 'dialog' })
    await shows(agent, /Do you want to proceed/)
    await refused(world, agent, /^It shows a dialog: go there and answer it\.$/)
  })

  oneWorld('onto a list that is open over the composer', async ({ world }) => {
    const agent = await startComposerAgent(world, 'choosing')
    agent.setFaults({ shows: 'picker' })
    await shows(agent, /\/compact/)
    await refused(world, agent, /^Its composer is not visible/)
  })

  oneWorld('onto a draft, which stays as it is', async ({ world }) => {
    const agent = await startComposerAgent(world, 'drafting')
    await world.tmux.run('send-keys', '-t', agent.pane.id, '-l', 'half a thought')
    await shows(agent, /half a thought/)
    const before = inputOf(agent)
    await refused(world, agent, /^Its composer has a draft\.$/, before)
    expect(await agent.screen()).toMatch(/^❯ half a thought$/m)
  })

  oneWorld('to an agent that works', async ({ world }) => {
    const agent = await startComposerAgent(world, 'working')
    agent.setFaults({ workMs: 60_000 })
    await world.tmux.run('send-keys', '-t', agent.pane.id, '-l', 'work')
    await world.tmux.run('send-keys', '-t', agent.pane.id, 'Enter')
    await shows(agent, /Working/)
    await refused(world, agent, /^It is working\.$/, inputOf(agent))
  })

  oneWorld('into a pane in copy mode', async ({ world }) => {
    const agent = await startComposerAgent(world, 'read')
    await world.tmux.run('copy-mode', '-t', agent.pane.id)
    await refused(world, agent, /^Somebody reads in its pane what scrolled away\.$/)
  })

  oneWorld('into panes with synchronized input', async ({ world }) => {
    const agent = await startComposerAgent(world, 'coupled')
    await world.tmux.run('set-option', '-w', '-t', agent.pane.id, 'synchronize-panes', 'on')
    await refused(world, agent, /^Its pane passes its input on to others\.$/)
  })

  oneWorld('while somebody types there', async ({ world }) => {
    const agent = await startComposerAgent(world, 'typed-in')
    await world.operator.lookAt(agent.pane)
    await world.operator.press('Enter')
    await waitFor(() => inputOf(agent).length > 0, { what: 'the key to arrive' })
    await refused(world, agent, /^Somebody is typing there\.$/, inputOf(agent))
  })

  oneWorld('to a process that is suspended', async ({ world }) => {
    const agent = await startComposerAgent(world, 'behind')
    process.kill(agent.pid, 'SIGSTOP')
    try {
      await refused(world, agent, /^Its process is not in front in its pane\.$/)
    } finally {
      process.kill(agent.pid, 'SIGCONT')
    }
  })

  oneWorld('when the agent has ended, or its pane is closed', async ({ world }) => {
    const [ended, closed] = await Promise.all([
      startComposerAgent(world, 'ended'),
      startComposerAgent(world, 'closed'),
    ])
    process.kill(ended.pid, 'SIGKILL')
    await world.tmux.run('kill-pane', '-t', closed.pane.id)
    for (const agent of [ended, closed]) {
      const { status } = await send(world, agent, 'Go on.')
      expect([404, 409]).toContain(status)
      expect(inputOf(agent)).toEqual([])
    }
    expect(await world.tmux.run('capture-pane', '-p', '-t', ended.pane.id)).not.toContain('Go on.')
  })
})

describe('whatever is uncertain is reported, and never repeated', () => {
  oneWorld('an Enter that the agent ignored leaves the text in its composer', async ({ world }) => {
    const agent = await startComposerAgent(world, 'deaf')
    agent.setFaults({ eatEnter: 1 })
    const result = await world.trailboss('reply', agent.session, 'Go on.')
    expect(result).toMatchObject({ code: 8, stdout: '' })
    expect(result.stderr).toMatch(
      /It is in its composer: Enter did not send it\. \(REPLY_UNPROVED\)/,
    )
    expect(await agent.screen()).toMatch(/^❯ \[tb:\w{10}\] Go on\.$/m)
    expect(agent.submitted()).toEqual(['Begin.'])
  })

  oneWorld('a paste that the agent lost gets no Enter', async ({ world }) => {
    const agent = await startComposerAgent(world, 'forgetful')
    agent.setFaults({ eatPaste: 1 })
    const { status, text } = await send(world, agent, 'Go on.')
    expect([status, JSON.parse(text)]).toMatchObject([504, { code: 'REPLY_UNPROVED' }])
    expect(agent.log().filter(({ kind }) => kind === 'typed')).toEqual([])
    expect(agent.submitted()).toEqual(['Begin.'])
  })
})

describe('while nothing can be stored', () => {
  /** As on a full disk, from this line of the audit on. */
  function unableToAudit(world: World, kind: string): Disposable {
    const change = (sql: string) => {
      using db = new DatabaseSync(join(world.state, 'trailboss.db'))
      db.exec(sql)
    }
    change(`CREATE TRIGGER full_disk BEFORE INSERT ON audit WHEN NEW.kind = '${kind}'
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`)
    return { [Symbol.dispose]: () => change('DROP TRIGGER full_disk') }
  }

  oneWorld('nothing is typed that was not stored before', async ({ world }) => {
    const agent = await startComposerAgent(world, 'unstored')
    using _full = unableToAudit(world, 'reply_claimed')
    const { status, text } = await send(world, agent, 'Go on.')
    expect([status, JSON.parse(text)]).toMatchObject([503, { code: 'NOT_STORED' }])
    expect(agent.log().filter(({ kind }) => kind === 'pasted')).toEqual([])
  })

  oneWorld('what was typed is not called untouched', async ({ world }) => {
    const agent = await startComposerAgent(world, 'unwritten')
    for (const kind of ['pane_written', 'key_pressed', 'ack_received']) {
      using _full = unableToAudit(world, kind)
      const before = await waitOf(world, agent)
      const { status } = await send(world, agent, `Go on after ${kind}.`)
      expect([kind, status]).toEqual([kind, 200])
      await waitFor(() => waitOf(world, agent), {
        what: `it to wait again after ${kind}`,
        until: (since) => since !== undefined && since !== before,
      })
      await finished(world, agent)
    }
    expect(agent.submitted()).toHaveLength(4)
  })
})

test('over TCP there are no replies, with whichever token', async () => {
  const port = await freePort()
  await using world = await createWorld({ port, config: { reply: true } })
  const agent = await startComposerAgent(world, 'pony')
  const token = readFileSync(join(world.state, 'token'), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}` }
  const body = { harness: 'claude-code', session: agent.session, text: 'Go on.' }
  for (const path of ['/reply', '/%72eply', '/reply/', '//reply']) {
    const { status } = await http({ port }, path, { method: 'POST', headers, body })
    expect([401, 404]).toContain(status)
  }
  expect((await http({ port }, '/queue', { headers })).status).toBe(200)
  expect(inputOf(agent)).toEqual([])
})

/** Another terminal with a client of its own, as a second window of the operator's desktop. */
async function secondSeat(world: World): Promise<AsyncDisposable & { operator: Operator }> {
  const { socket } = world.tmux
  const attach = `unset TMUX TMUX_PANE; exec ${TMUX} -S ${socket} attach-session -t work`
  const place = { socket: join(world.dir, 't9'), env: world.env, cwd: world.home }
  const terminal = await startTmuxServer({ ...place, session: 'terminal', shellCommand: attach })
  await terminal.run('set-option', '-g', 'status', 'off')
  const operator = await seatOperator(terminal, () => [world.tmux])
  return { operator, [Symbol.asyncDispose]: () => terminal.stop() }
}

/** Everything that reached it through its terminal. */
function inputOf(agent: ComposerAgent): unknown[] {
  return agent.log().filter(({ kind }) => kind === 'typed' || kind === 'pasted')
}

function send(world: World, { session }: ComposerAgent, text: string) {
  return world.http('/reply', {
    method: 'POST',
    body: { harness: 'claude-code', session, text },
  })
}

async function refused(
  world: World,
  agent: ComposerAgent,
  why: RegExp,
  inputBefore: unknown[] = [],
): Promise<void> {
  const { status, text } = await send(world, agent, 'Go on.')
  const problem = JSON.parse(text) as { code: string; detail: string; hint: string }
  expect([status, problem]).toMatchObject([
    409,
    { code: 'REPLY_REFUSED', hint: 'Nothing was typed.' },
  ])
  expect(problem.detail).toMatch(why)
  expect(inputOf(agent)).toEqual(inputBefore)
  const { lines } = await audit(world, 'kind=reply_refused&limit=1')
  expect(lines).toMatchObject([
    { result: 'REPLY_REFUSED', detail: expect.stringContaining(agent.session) },
  ])
}

async function audit(world: World, query: string): Promise<AuditView> {
  return JSON.parse((await world.http(`/audit?${query}`)).text) as AuditView
}

async function auditOf(world: World, id: string): Promise<AuditLine[]> {
  return (await audit(world, `trigger=${id}`)).lines.toReversed()
}

function shows(agent: ComposerAgent, pattern: RegExp) {
  return waitFor(agent.screen, {
    what: `the agent to show ${pattern}`,
    until: (text) => pattern.test(text),
  })
}

/** Since when it waits. */
async function waitOf(world: World, { session }: ComposerAgent): Promise<number | undefined> {
  return (await world.queue()).find((item) => item.session === session)?.since
}

/** It has ended its turn, and the queue knows. */
async function finished(world: World, agent: ComposerAgent): Promise<void> {
  await world.waitForQueue('it to have finished', (items) =>
    items.some(({ session, label }) => session === agent.session && label === 'finished'),
  )
  await shows(agent, /for shortcuts/)
}
