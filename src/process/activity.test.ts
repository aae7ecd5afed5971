import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { waitFor } from '../../test/support/wait-for.ts'
import { type Activity, isActive, newActivity } from './activity.ts'

let activity: Activity
let cat: ChildProcessByStdio<Writable, Readable, null>
beforeEach(async () => {
  cat = spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] })
  await once(cat, 'spawn')
  await say('ready')
  activity = newActivity()
})
afterEach(() => void cat.kill('SIGKILL'))

/** A write counts when its call returns, which may be after the text was read. */
async function say(text: string): Promise<void> {
  cat.stdin.write(text)
  await once(cat.stdout, 'data')
  await waitFor(() => /\) S /.test(readFileSync(`/proc/${cat.pid}/stat`, 'latin1')), {
    what: 'it to wait for more',
  })
}

const look = () => isActive(cat.pid ?? 0, activity)

test('a program is active when it has written something, and once more, because tmux may show it later', async () => {
  expect([look(), look(), look()]).toEqual([true, true, false])
  await say('a dialog')
  expect([look(), look(), look()]).toEqual([true, true, false])
})

test('it is unknown for a program that is gone', async () => {
  cat.kill('SIGKILL')
  await once(cat, 'exit')
  expect(look()).toBeUndefined()
})

test.each([
  ['reads the answer and says nothing', 'read answer; read more'],
  ['lets a child go on', 'read answer; cat'],
])('a program that asks is also active when it %s', async (_, script) => {
  const asking = spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'] })
  try {
    await once(asking, 'spawn')
    const trace = newActivity()
    const isActiveNow = () => isActive(asking.pid ?? 0, trace, { isAsking: true })
    await waitFor(() => isActiveNow() === false, { what: 'it to wait' })
    asking.stdin.write('y\n')
    await waitFor(isActiveNow, { what: 'it to act' })
  } finally {
    // Its reader ends with it.
    asking.stdin.end()
  }
})
