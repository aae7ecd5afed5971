import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../config/config.ts'
import type { Paths } from '../../config/paths.ts'
import { ConfigWatch } from './config-watch.ts'

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-watch-'))
  file = join(dir, 'config.json')
})
afterEach(() => rmSync(dir, { recursive: true }))

const write = (config: object | string) =>
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config))
const watching = (env: NodeJS.ProcessEnv = {}) =>
  new ConfigWatch({ paths: { configFile: file } as Paths, config: loadConfig(file, env), env })
const ranch = { directories: ['/r'] }

test('a file that says the same is no change: touched, commented, or laid out in another way', () => {
  write({ port: 0, workspaces: { ranch } })
  const watch = watching()
  expect(watch.warnings()).toEqual([])
  utimesSync(file, new Date(), new Date(Date.now() + 5_000))
  expect(watch.warnings()).toEqual([])
  write('{ // mine\n  "workspaces": {"ranch": {"directories": ["/r"]}}, "port": 0 }')
  expect(watch.warnings()).toEqual([])
  expect(watch.changed()).toEqual([])
})

test('a change is named with what to do, and is over when it was taken back', () => {
  const watch = watching()
  write({ workspaces: { ranch } })
  expect(watch.warnings()).toEqual([
    {
      kind: 'config',
      text: `${file} has changed since the daemon read it: trailboss workspace reload takes in its workspaces.`,
    },
  ])
  write({ workspaces: { ranch }, port: 1, logLevel: 'warn' })
  expect(watch.warnings()[0]?.text).toMatch(
    / its workspaces, trailboss restart takes in port, logLevel\.$/,
  )
  write({ logLevel: 'warn' })
  expect(watch.warnings()[0]?.text).toMatch(/read it: trailboss restart takes in logLevel\.$/)
  expect(watch.changed()).toEqual(['logLevel'])
  rmSync(file)
  expect(watch.warnings()).toEqual([])
})

test('a broken file is named, and nothing is taken from it', () => {
  write({ workspaces: { ranch } })
  const watch = watching()
  write('{')
  expect(watch.warnings()[0]?.text).toMatch(/cannot be used: .*is not valid JSON/)
  expect(() => watch.reload()).toThrow(/is not valid JSON/)
  expect(watch.workspaces).toMatchObject({ ranch })
  expect(watch.changed()).toEqual([])
})

test('a reload takes the workspaces alone', () => {
  const watch = watching()
  write({ workspaces: { ranch }, port: 1 })
  expect(watch.changed()).toEqual(['port', 'workspaces'])
  watch.reload()
  expect(watch.workspaces).toMatchObject({ ranch })
  expect(watch.changed()).toEqual(['port'])
})

test('what the environment overrides does not change with the file', () => {
  const watch = watching({ TRAILBOSS_PORT: '0' })
  write({ port: 1 })
  expect(watch.changed()).toEqual([])
})
