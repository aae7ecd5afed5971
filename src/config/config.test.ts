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

test('a file may have comments, and mistakes are still reported with their place', () => {
  writeFileSync(
    file,
    '// mine\n{\n  /* the port */ "port": 0, // none\n  "logLevel": "warn" // "//"\n}\n',
  )
  expect(loadConfig(file, {})).toMatchObject({ port: 0, logLevel: 'warn' })
  writeFileSync(file, '{\n  // "port" is missing its value\n  "port": \n}\n')
  expect(() => loadConfig(file, {})).toThrow(/not valid JSON: value expected in line 4, column 1/)
})

test('a file that is far too large or nested too deeply is refused with its name', () => {
  writeFileSync(file, `{}${' '.repeat(1_048_576)}`)
  expect(() => loadConfig(file, {})).toThrow(
    `${file} cannot be read: it is larger than 1048576 bytes`,
  )
  writeFileSync(file, '['.repeat(200_000))
  expect(() => loadConfig(file, {})).toThrow(`${file} is not valid JSON`)
})

test('a workspace names an orchestrator and a reviewer among its roles', () => {
  const roles = { lead: { harness: 'x' }, judge: { harness: 'x' } }
  const write = (more: object) =>
    writeFileSync(
      file,
      JSON.stringify({ workspaces: { ranch: { directories: ['/'], roles, ...more } } }),
    )
  write({ orchestrator: 'lead', reviewer: 'judge' })
  expect(loadConfig(file, {}).workspaces['ranch']).toMatchObject({ reviewer: 'judge' })
  write({ orchestrator: 'boss' })
  expect(() => loadConfig(file, {})).toThrow(
    'workspaces.ranch.orchestrator: "boss" is not a role of this workspace (lead, judge)',
  )
  write({ reviewer: 'boss' })
  expect(() => loadConfig(file, {})).toThrow('workspaces.ranch.reviewer: "boss" is not a role')
})

test('every interval of the monitor is a setting', () => {
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
