import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { createPromptChannels } from './prompt-channel.ts'

const MARK = 'k3f9x2m7q1'
const channels = createPromptChannels(() => undefined)

/** Like a terminal of Codex, it has the queue's file open. */
async function terminal({ queue = 'queued_items' } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'tb-queue-'))
  const path = join(dir, 'queue_1.sqlite')
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA journal_mode = WAL; CREATE TABLE ${queue} (id TEXT, payload_json TEXT NOT NULL)`)
  const holds = `require('fs').openSync(${JSON.stringify(path)}); console.log(1); setInterval(() => 0, 1000)`
  const child = spawn(process.execPath, ['-e', holds], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
    db.close()
    rmSync(dir, { recursive: true })
  })
  await once(child.stdout, 'data')
  const pane = { socket: '/s', id: '%1', server: 1, pid: child.pid }
  const runtime = { harness: 'codex', status: 'ready', pane } as Runtime
  return { db, look: () => channels.evidence(runtime, MARK) }
}

describe('for a prompt that may have been handed over', () => {
  test('the queue holds it, or does not', async () => {
    const { db, look } = await terminal()
    expect(look()).toBe('absent')
    const insert = db.prepare('INSERT INTO queued_items VALUES (?, ?)')
    insert.run('1', `{"text":"[tb:0123456789] another"}`)
    expect(look()).toBe('absent')
    insert.run('2', `{"text":"[tb:${MARK}] Go on."}`)
    expect(look()).toBe('held')
    db.exec(`DELETE FROM queued_items WHERE id = '2'`)
    expect(look()).toBe('absent')
  })

  test('nothing is known while a command that carries it still runs', async () => {
    const { look } = await terminal()
    const idle = [
      '-e',
      'console.log(1); setInterval(() => 0, 1000)',
      '--',
      `--message=[tb:${MARK}] Go on.`,
    ]
    const command = spawn(process.execPath, idle, { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void command.kill('SIGKILL'))
    await once(command.stdout, 'data')
    expect(look()).toBe('unknown')
    command.kill('SIGKILL')
    await once(command, 'exit')
    expect(look()).toBe('absent')
  })

  test('nothing is known if the queue cannot be read, or no process has it open', async () => {
    const { look } = await terminal({ queue: 'something_else' })
    expect(look()).toBe('unknown')
    const pane = { socket: '/s', id: '%1', server: 1, pid: process.pid }
    const other = { harness: 'codex', status: 'ready', pane } as Runtime
    expect(channels.evidence(other, MARK)).toBe('unknown')
    expect(channels.evidence({ ...other, harness: 'gemini' }, MARK)).toBe('unknown')
  })
})
