import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DEFAULT_PACE, type MonitorPace } from '../core/monitor/interval.ts'
import { loadConfig } from './config.ts'

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-config-'))
  file = join(dir, 'config.json')
})
afterEach(() => rmSync(dir, { recursive: true }))

test('without a file every setting has its default', () => {
  expect(loadConfig(file, {})).toMatchObject({
    skipCooldownMs: 60_000,
    port: 4_000,
    keys: { next: 'Tab', popup: 'g', skip: 'S' },
    statusSegment: false,
  })
})

test('the environment overrides the file', () => {
  writeFileSync(file, '{"port": 5000, "skipCooldownMs": 5}')
  expect(loadConfig(file, { TRAILBOSS_PORT: '0' })).toMatchObject({ port: 0, skipCooldownMs: 5 })
})

test('the pace of the monitor is a setting, interval by interval', () => {
  expect(loadConfig(file, {}).monitor).toEqual(DEFAULT_PACE)
  writeFileSync(file, '{"monitor": {"intervalsMs": {"edits": [5000, 9000]}, "leastMs": 250}}')
  const { intervalsMs } = DEFAULT_PACE
  const pace: MonitorPace = loadConfig(file, {}).monitor
  expect(pace).toEqual({
    ...DEFAULT_PACE,
    intervalsMs: { ...intervalsMs, edits: [5_000, 9_000] },
    leastMs: 250,
  })
})

test.each([
  ['{', /not valid JSON/],
  ['[]', /one JSON object/],
  ['{"port": "x"}', /port/],
  ['{"prot": 1}', /prot/],
  ['{"keys": {"next": "Tab; kill-server"}}', /keys\.next/],
  ['{"monitor": {"intervalsMs": {"edits": [45000, 30000]}}}', /monitor\.intervalsMs\.edits/],
  ['{"monitor": {"intervalsMs": {"edits": [30000]}}}', /monitor\.intervalsMs\.edits/],
  ['{"monitor": {"intervalsMs": {"edit": [30000, 45000]}}}', /monitor\.intervalsMs\.edit/],
  ['{"monitor": {"freshMs": [0, 1000]}}', /monitor\.freshMs/],
])('%s is refused with the place of the mistake', (text, expected) => {
  writeFileSync(file, text)
  expect(() => loadConfig(file, {})).toThrow(expected)
})

test.each(['4000; rm', '70000', '-1'])('TRAILBOSS_PORT=%s is refused by its name', (port) => {
  expect(() => loadConfig(file, { TRAILBOSS_PORT: port })).toThrow(/TRAILBOSS_PORT/)
})
