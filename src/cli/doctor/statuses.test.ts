import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Check } from '../../harness/wiring/check.ts'
import { startOf } from '../../process/process-state.ts'
import { statusChecks } from './statuses.ts'
import type { Surroundings } from './surroundings.ts'

const DEAD = 4_194_305
let home: string
let sessions: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tb-doctor-'))
  sessions = join(home, '.claude', 'sessions')
  mkdirSync(sessions, { recursive: true })
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const check = (env: NodeJS.ProcessEnv = {}): Promise<Check[]> => {
  const paths = { log: '/state/trailboss.log' }
  return statusChecks({ env: { HOME: home, ...env }, paths } as unknown as Surroundings)
}
const publish = (pid: number, more: object = {}, directory = sessions): string => {
  const file = join(directory, `${pid}.json`)
  const procStart = String(startOf(pid) ?? 1)
  const times = { startedAt: 1, statusUpdatedAt: 2 }
  const content = { pid, sessionId: 's', procStart, version: '9.9.9', status: 'idle', ...times }
  writeFileSync(file, JSON.stringify({ ...content, ...more }))
  return file
}

test('it counts the statuses of running programs and those that killed ones left', async () => {
  publish(process.pid)
  publish(DEAD)
  writeFileSync(join(sessions, `${DEAD + 1}.json`), '{"pid":')
  writeFileSync(join(sessions, `${process.pid}.0123abcd.key`), 'not ours to read')
  const [only, ...more] = await check()
  expect(more).toEqual([])
  expect(only).toMatchObject({ name: 'status files', status: 'ok', mend: null })
  expect(only?.detail).toMatch(/^1 live session in .*; 2 left behind by killed processes/)
})

test('a pid that now belongs to another process is no live session', async () => {
  publish(process.pid, { procStart: '1' })
  expect((await check())[0]?.detail).toMatch(/^none in .* \(1 left behind/)
})

test('no file, no directory and a directory in another place', async () => {
  expect((await check())[0]).toMatchObject({ status: 'ok' })
  rmSync(sessions, { recursive: true })
  expect((await check())[0]?.detail).toMatch(/^none in .*: no Claude Code runs, or one before/)
  const elsewhere = join(home, 'other', 'sessions')
  mkdirSync(elsewhere, { recursive: true })
  publish(process.pid, {}, elsewhere)
  const both = await check({ CLAUDE_CONFIG_DIR: join(home, 'other') })
  expect(both.map(({ detail }) => detail)).toEqual([
    `1 live session in ${elsewhere}`,
    expect.stringContaining('none in'),
  ])
})

test('a file in place of the directory', async () => {
  rmSync(sessions, { recursive: true })
  writeFileSync(sessions, '')
  expect((await check())[0]).toMatchObject({ status: 'warning' })
})

describe('whatever it cannot parse is named, with its meaning and what to do', () => {
  const odd = async () => {
    const [counted, warned, ...more] = await check()
    expect(counted).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^0 live/) })
    expect(more).toEqual([])
    expect(warned).toMatchObject({ name: 'status files', status: 'warning' })
    expect(warned?.mend).toMatch(/miss approvals and some interrupts/)
    return warned
  }

  test('a status of a later version', async () => {
    const file = publish(process.pid, { status: 'napping' })
    const warned = await odd()
    expect(warned?.detail).toMatch(
      /is not understood \(Claude Code 9\.9\.9\): its status "napping"/,
    )
    expect(warned?.detail).toContain(file)
    expect(warned?.mend).toMatch(/^Update Trail Boss/)
  })

  test('another shape', async () => {
    publish(process.pid, { sessionId: { id: 's' } })
    expect((await odd())?.detail).toMatch(/sessionId: /)
  })

  test.each([
    ['truncated', '{"pid":', /it is not whole JSON/],
    ['empty', '', /it is empty/],
    ['large', ' '.repeat(100_000), /it is too large/],
  ])('%s', async (_, text, why) => {
    writeFileSync(publish(process.pid), text)
    const warned = await odd()
    expect(warned?.detail).toMatch(why)
    expect(warned?.mend).toMatch(/^Restart that Claude Code/)
  })

  test('a directory, a FIFO', async () => {
    const file = join(sessions, `${process.pid}.json`)
    mkdirSync(file)
    expect((await odd())?.detail).toMatch(/it is not a regular file/)
    rmSync(file, { recursive: true })
    execFileSync('mkfifo', [file])
    expect((await odd())?.detail).toMatch(/it is not a regular file/)
  })

  test.runIf(process.getuid?.() === 0)("another user's", async () => {
    chownSync(publish(process.pid), 65534, 65534)
    const warned = await odd()
    expect(warned?.detail).toMatch(/it is not ours/)
    expect(warned?.mend).toMatch(/^See who put it there/)
  })

  test('a long list is cut short', async () => {
    const alive = [1, process.pid, process.ppid].map(String)
    for (const pid of alive) writeFileSync(join(sessions, `0${pid}.json`), '')
    for (const pid of alive) writeFileSync(join(sessions, `${pid}.json`), '')
    const checks = await check()
    expect(checks).toHaveLength(5)
    expect(checks.at(-1)).toMatchObject({
      detail: '3 more are not understood',
      mend: expect.stringContaining('/state/trailboss.log'),
    })
  })
})

test('a file that is complete again in a moment is no warning', async () => {
  writeFileSync(publish(process.pid), '{"pid":')
  const checks = check()
  publish(process.pid)
  expect(await checks).toEqual([expect.objectContaining({ status: 'ok' })])
})
