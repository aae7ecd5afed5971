import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ControlClient } from '../../src/tmux/control/control-client.ts'
import { parseNames } from '../../src/tmux/pane-names.ts'
import { listPanes } from '../../src/tmux/panes.ts'
import { startTmuxServer, type TmuxServer } from '../support/tmux-server.ts'

let dir: string
let server: TmuxServer
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tb-names-'))
  server = await startTmuxServer({
    socket: join(dir, 't'),
    env: { PATH: process.env['PATH'], HOME: dir, TERM: 'xterm-256color' },
    session: 'work',
    shellCommand: 'exec sleep 600',
    cwd: dir,
  })
})
afterEach(async () => {
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** By a process, and by a control client: both give the same. */
async function panes() {
  const listing = await listPanes(server.socket)
  if (!listing.ok) throw new Error(`tmux did not list its panes: ${listing.kind}`)
  await using client = new ControlClient(server.socket, { lost: () => undefined })
  await client.connect()
  const byClient = await listPanes(server.socket, [], async (_, commands) => {
    const answers = await client.run([commands.map((words) => ({ words }))])
    return {
      ok: true,
      stdout: answers
        .flat()
        .flatMap(({ lines }) => lines)
        .join('\n'),
    }
  })
  expect(byClient).toEqual(listing)
  return listing.panes
}

const FORGED = '1:x .\n99 %9 99 0 0\nn %9 0 0 1:x 1:y 1:z .'

describe('the names of a pane', () => {
  test('are its tmux session and window, by index unless somebody named it, and its title', async () => {
    const named = ['new-window', '-d', '-t', 'work:', '-n', 'api', '-P', '-F', '#{pane_id}']
    const id = await server.run(...named, 'exec sleep 600')
    await server.run('select-pane', '-t', id, '-T', '✳ Fix the login')
    const listed = await panes()
    expect(listed.get('%0')?.names?.window).toBe('work:0')
    expect(listed.get(id)?.names).toEqual({ window: 'work:api', title: '✳ Fix the login' })
  })

  test.each([
    ['a forged row', FORGED],
    ['what looks like a length', '3:abc 2:de 1:f .'],
    ['letters of several bytes', '漢字 é 🐄'],
    ['separators and formats', 'a;b #{pid} #(touch x) %0 . '],
    ['escapes', '\u001b[31mred\u001b]0;t\u0007'],
    ['very much', 'x'.repeat(5_000)],
  ])('with %s in them forge nothing and hide nothing', async (_, text) => {
    const escaped = text.replaceAll('#', '##')
    await server.run('rename-window', '-t', '%0', escaped)
    await server.run('rename-session', '-t', 'work', escaped)
    await server.try('select-pane', '-t', '%0', '-T', escaped)
    await server.run('new-session', '-d', '-s', 'other', '-n', 'plain', 'exec sleep 600')
    const listed = await panes()
    expect([...listed.keys()].toSorted()).toEqual(['%0', '%1'])
    expect(listed.get('%1')?.names?.window).toBe('other:plain')
    expect(listed.get('%0')?.names?.window).toMatch(/^.+:.+$/s)
  })
})

describe('an answer that is not as expected', () => {
  const good = 'n %1 2 0 4:work 3:api 5:title .'

  test('loses the names from there on', () => {
    expect([...parseNames([good, 'n %2 2 0 9:work 3:api 0: .', good]).keys()]).toEqual(['%1'])
    expect(parseNames(['n %1'])).toEqual(new Map())
    expect(parseNames([])).toEqual(new Map())
  })

  test('may have line breaks in a name', () => {
    const text = `n %1 2 0 4:work ${FORGED.length}:${FORGED} 0: .`
    expect([...parseNames(text.split('\n'))]).toEqual([
      ['%1', { window: `work:${FORGED}`, title: '' }],
    ])
  })
})
