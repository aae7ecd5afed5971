import { closeSync, openSync, readdirSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { World } from '../support/create-world.ts'
import { SECRET_SAMPLES, secretsIn } from '../support/secret-samples.ts'
import { storedSecrets } from '../support/stored-secrets.ts'
import { test } from '../support/world.ts'

/** How many lines of a stalled screen are kept; one of them is the program's own. */
const KEPT_LINES = 11
const COLUMNS = 80
const FAST = [300, 400]
const SIGNALS = ['dispatched', 'edits', 'tests', 'build', 'subagent', 'reading', 'question']

const intervalsMs = Object.fromEntries(
  [...SIGNALS, 'quiet', 'stalled'].map((signal) => [signal, FAST]),
)

describe('secrets on the screen of a watched program that stalls', () => {
  test.override({
    worldOptions: {
      config: { logLevel: 'debug', monitor: { intervalsMs, freshMs: FAST, leastMs: 200 } },
    },
  })

  test('are in no file of ours, also when the database is damaged and kept as a copy', {
    timeout: 240_000,
  }, async ({ world }) => {
    const count = await showAndHang(world)
    const items = await world.waitForQueue(
      'all of them to be listed as stalled',
      (all) => all.filter(({ label }) => label === 'stalled').length === count,
    )

    const asks = items.map(({ ask }) => ask.text)
    expect(asks.filter((text) => !text.includes('[redacted]'))).toEqual([])
    expect(secretsIn(asks.map((text) => text.replaceAll('\n', '')).join(' '))).toEqual([])
    expect(asks.every((text) => /\n\nWorking on it …\n/.test(text))).toBe(true)
    for (const args of [['list'], ['explain', '--all'], ['status']]) {
      const { stdout, stderr } = await world.trailboss(...args)
      expect(secretsIn(stdout + stderr), args[0]).toEqual([])
    }
    expect(storedSecrets(world.state)).toEqual([])

    await world.killDaemon9()
    expect(storedSecrets(world.state)).toEqual([])
    damage(join(world.state, 'trailboss.db'))
    await world.up()
    expect(readdirSync(world.state).some((name) => name.includes('.damaged-'))).toBe(true)
    expect(storedSecrets(world.state)).toEqual([])
  })
})

/** Each in a window of its own, with as many secrets as are kept of a screen. */
async function showAndHang(world: World): Promise<number> {
  await world.tmux.run('set-option', '-g', 'default-size', `${COLUMNS}x40`)
  const screens = screenfuls(SECRET_SAMPLES.map(({ text }) => text))
  for (const [index, text] of screens.entries()) {
    const file = join(world.dir, `stalled-${index}`)
    writeFileSync(file, `Working on it …\n${text}\n`)
    const run = `cat ${file}; exec sleep 1000`
    await world.tmux.run('new-window', '-d', '-t', 'work:', run)
  }
  const { code, stderr } = await world.trailboss('watch', 'work', '--once')
  expect(code, stderr).toBe(0)
  return screens.length
}

function screenfuls(texts: readonly string[]): string[] {
  const screens: string[][] = [[]]
  let rows = 0
  for (const text of texts) {
    const taken = text.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / COLUMNS), 0)
    if (rows + taken > KEPT_LINES) {
      screens.push([])
      rows = 0
    }
    screens.at(-1)?.push(text)
    rows += taken
  }
  return screens.map((texts) => texts.join('\n'))
}

/** No database begins like this. */
function damage(path: string): void {
  const fd = openSync(path, 'r+')
  writeSync(fd, 'not a database any more', 0)
  closeSync(fd)
}
