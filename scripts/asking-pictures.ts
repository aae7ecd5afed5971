/**
 * Draws docs/images/asking-*.svg: agents without a pane in the popup, one in the background and two that ask through
 * us, and the window of one that asks to use a tool.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startOf } from '../src/process/process-state.ts'
import { createWorld, TRAILBOSS } from '../test/support/create-world.ts'
import { TMUX } from '../test/support/tmux-server.ts'
import { terminalSvg } from './terminal-svg.ts'

const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url))
const SIZE = { columns: 100, rows: 30 }

const EDIT = {
  v: 1,
  id: 'picture-edit',
  tool: 'Edit',
  input: {
    file_path: 'src/price.ts',
    old_string: 'export function total(items) {\n  return items.sum()\n}',
    new_string: 'export function total(items) {\n  return round(items.sum(), 2)\n}',
  },
}

await using world = await createWorld({})
const project = (name: string) => {
  const cwd = join(world.home, name)
  mkdirSync(cwd, { recursive: true })
  return cwd
}
const terminal = (...args: string[]) =>
  execFileSync(TMUX, ['-S', join(world.dir, 't0'), ...args], { encoding: 'utf8' })
const draw = (name: string, label: string) => {
  const screen = terminal('capture-pane', '-p', '-e', '-t', 'terminal:').replace(/\n$/, '')
  writeFileSync(join(IMAGES, name), terminalSvg(screen, SIZE.columns, label))
  process.stdout.write(`${screen.replaceAll(/\u001b\[[\d;:]*m/g, '')}\n\nDrawn to ${name}\n`)
}

const size = ['-x', String(SIZE.columns), '-y', String(SIZE.rows)]
terminal('resize-window', '-t', 'terminal:', ...size)
await world.tmux.run('set-option', '-g', 'status-right', '')
await world.up()
await world.bindKeys()
await world.operator.type("PS1='$ '; clear")
await world.operator.press('Enter')
const asked = request({
  ...{ socketPath: join(world.state, 'trailboss.sock'), path: '/v1/decisions', method: 'POST' },
  headers: { 'content-type': 'application/json', host: 'localhost' },
})
asked.on('error', () => undefined)
asked.end(JSON.stringify({ ...EDIT, asker: { name: 'claude-code', cwd: project('shop') } }))
await world.waitForQueue('the edit to be asked for', (items) => items.length === 1)
const question = ['ask', 'Deploy 4f21c0 to production?', '--option', 'yes', '--option', 'no']
const script: ChildProcess = spawn(TRAILBOSS, [...question, '--name', 'deploy.sh'], {
  ...{ env: world.env, cwd: project('ranch') },
})
await world.waitForQueue('the question to be asked', (items) => items.length === 2)

const worker = spawn('sleep', ['600'])
const record = {
  ...{ pid: worker.pid, sessionId: '5c2a90b1-0000-4000-8000-000000000000', jobId: '5c2a90b1' },
  ...{ cwd: project('docs'), kind: 'bg', entrypoint: 'cli', status: 'waiting' },
  ...{ waitingFor: 'permission prompt', statusUpdatedAt: Date.now(), startedAt: Date.now() },
  procStart: String(startOf(worker.pid ?? 0)),
}
const records = join(world.home, '.claude', 'sessions')
mkdirSync(records, { recursive: true })
writeFileSync(join(records, `${worker.pid}.json`), JSON.stringify(record))
await world.waitForQueue('the job to wait', (items) => items.length === 3)

await world.operator.openPopup()
await world.operator.waitToSee(/round\(items/)
draw(
  'asking-popup.svg',
  'The popup: an agent asks to change a file, a script asks a question, a third waits in the background',
)
await world.operator.press('Enter')
await world.operator.waitToSee(/y allow/)
draw('asking-window.svg', 'The window of a program that asks to change a file')
await world.operator.press('q')
asked.destroy()
script.kill()
worker.kill()
