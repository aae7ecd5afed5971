import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { QueueView } from '../../src/contract/responses.ts'
import { TRAILBOSS, type World } from '../support/create-world.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

/** What a repository or a model may put into a path or a message, each with a visible tail. */
const HOSTILE: Record<string, string> = {
  'a shell command of tmux': '#(touch CANARY)EVIL',
  'a doubled one': '###(touch CANARY)EVIL',
  'a style': '#[fg=red,bg=red]EVIL',
  'a nested format': '#{E:@evil}#{T:#(touch CANARY)}EVIL',
  'a shell substitution': '$(touch CANARY)`touch CANARY`;touch CANARY;EVIL',
  'a colour': '\u001b[38;5;123mEVIL',
  'a title': '\u001b]2;PWNED\u0007EVIL',
  'a clipboard write': '\u001b]52;c;UFdORUQ=\u0007EVIL',
  'a device control string': '\u001bPPWNED\u001b\\EVIL',
  'a C1 introducer': '\u009b31mEVIL\u0085EVIL\u009d2;PWNED\u009c',
  'a direction override': '\u202eEVIL\u2066EVIL\u200fEVIL',
  'tags, which nobody sees': 'EVIL\u{e0041}\u{e0001}\u{e007f}EVIL',
  'fillers, which look like nothing': 'EVIL\u115f\u1160\u3164\uffa0\u034f\u17b4\u180b\ufe00EVIL',
  'a line break': 'EVIL\r\n%0 FORGED\nEVIL\tEVIL',
  'a bell and a backspace': 'EVIL\u0007\u0008\u0008\u0008\u007fEVIL',
}

/** In a terminal's input stream nothing but text and our own cursor, colour and mode sequences. */
const FORBIDDEN_ON_SCREEN = [
  /PWNED/,
  /\u001b\[38;5;123m/,
  /\u001b[P^_X]/,
  /[\u0080-\u009f]/,
  /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
  /\u0007|\u0008|\u007f/,
  /[\u{e0000}-\u{e007f}]/u,
  /\u034f|\u115f|\u1160|\u17b4|\u180b|\u3164|\ufe00|\uffa0/,
  /UFdORUQ/,
]

describe('hostile text in asks, paths and names', () => {
  test('is never executed by tmux and never raw on any screen', async ({ world }) => {
    const canary = join(world.dir, 'canary')
    const dangerous = Object.values(HOSTILE).map((text) => text.replaceAll('CANARY', canary))
    const [pane] = await stuckWith(world, dangerous)
    const directory = join(world.dir, 'projects', `x\n%0 #(touch ${canary.replaceAll('/', '_')})`)
    mkdirSync(directory, { recursive: true })
    const agent = await world.agent('hostile', { cwd: directory, prompt: '#(touch x) \u001b[31m' })
    await agent.askPermission({ command: `#(touch ${canary}) \u001b]2;PWNED\u0007` })
    await world.waitForQueue('all to be queued', (q) => q.length === dangerous.length + 1)

    for (const args of [['list'], ['sessions'], ['explain', 'hostile-0'], ['status']]) {
      const { stdout, stderr } = await world.trailboss(...args)
      expectClean(`trailboss ${args.join(' ')}`, `${stdout}${stderr}`)
      expect(stdout).not.toMatch(/^%0 FORGED/m)
    }
    const listed = await world.trailboss('list', '--json')
    const { items } = JSON.parse(listed.stdout) as QueueView
    expect(items.map(({ ask }) => ask.text)).toContain(`${dangerous.at(-1)} and the rest`)
    for (const args of [['sessions'], ['explain', 'hostile-0'], ['watch', '--once']]) {
      const { stdout, stderr } = await world.trailboss(...args, '--json')
      expectPlainJson(`trailboss ${args.join(' ')} --json`, `${stdout}${stderr}`)
    }
    expectPlainJson('trailboss list --json', listed.stdout)
    expectPlainJson('the log', world.daemonLog())
    expect(listed.stdout.match(/EVIL/g)?.length).toBeGreaterThanOrEqual(dangerous.length)

    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn({ socket: world.tmux.socket, id: pane! })
    await world.operator.waitToSee(/⚠ \d+ stuck/)
    await world.operator.openPopup()
    const popup = await world.operator.waitToSee(/EVIL/)
    expect(popup).not.toMatch(/PWNED|FORGED\s*$/m)
    for (const _ of dangerous) await world.operator.press('Down')
    await world.operator.closePopup()
    await world.operator.press('C-b', 'S')
    await world.waitForQueue('the skip', (q) => q.some(({ ready }) => !ready))

    await recordPopup(world)
    expect(existsSync(canary)).toBe(false)
    expect(existsSync(join(world.home, 'x'))).toBe(false)
    const options = await world.tmux.run('show-options', '-g')
    expect(options).not.toMatch(/EVIL|touch/)
  })
})

/** One stuck session per text: in its ask, its directory, its tool and its id. */
async function stuckWith(world: World, texts: string[]): Promise<string[]> {
  const panes: string[] = []
  for (const [index, text] of texts.entries()) {
    const id = await world.tmux.run('new-window', '-d', '-P', '-F', '#{pane_id}', 'exec sh')
    const body = {
      v: 1,
      kind: 'stuck',
      harness: 'my-agent',
      session: `hostile-${index}`,
      // Named in the log when its transcript cannot be read.
      transcript: `/tmp/${text.replaceAll('/', '_')}`,
      at: Date.now(),
      source: 'api',
      reason: index % 2 ? 'permission' : 'stopped',
      pane: { socket: world.tmux.socket, id },
      cwd: `/tmp/${text}`,
      ask: { text: `${text} and the rest`, tool: text.slice(0, 200), input: { command: text } },
      detail: text.slice(0, 200),
    }
    const { status, text: answer } = await world.http('/v1/events', { method: 'POST', body })
    expect(status, answer).toBeLessThan(300)
    panes.push(id)
  }
  return panes
}

/** The popup's own bytes, before any terminal has interpreted them. */
async function recordPopup(world: World): Promise<void> {
  const record = join(world.dir, 'popup.raw')
  const pane = await world.tmux.run('new-window', '-d', '-P', '-F', '#{pane_id}', 'exec sh')
  await world.tmux.run('pipe-pane', '-t', pane, `cat > '${record}'`)
  await world.tmux.run('send-keys', '-t', pane, `exec ${TRAILBOSS} popup`, 'Enter')
  const bytes = await waitFor(() => readFileSync(record, 'utf8'), {
    what: 'the popup to show the queue',
    until: (text) => text.includes('EVIL'),
  })
  expectClean('the popup', bytes)
  await world.tmux.run('send-keys', '-t', pane, 'q')
}

/** Data is kept, and a terminal that prints it obeys nothing of it. */
function expectPlainJson(what: string, text: string): void {
  expect(text, what).not.toMatch(/[\0-\u0009\u000b-\u001f\u007f-\u009f\u{e0000}-\u{e007f}]/u)
  expect(text, what).not.toMatch(
    /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u115f\u1160\u3164\uffa0]/,
  )
}

function expectClean(what: string, bytes: string): void {
  for (const forbidden of FORBIDDEN_ON_SCREEN) expect(bytes, what).not.toMatch(forbidden)
}
