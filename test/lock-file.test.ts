import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

type Package = {
  version?: string
  integrity?: string
  resolved?: string
  hasInstallScript?: boolean
  optionalDependencies?: Record<string, string>
  os?: string[]
  cpu?: string[]
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
const packages: Record<string, Package> = read('package-lock.json').packages
const { allowScripts }: { allowScripts: Record<string, boolean> } = read('package.json')

const installed = Object.entries(packages).filter(([path]) => path !== '')
const nameOf = (path: string): string => path.split('node_modules/').at(-1) ?? ''

describe('package-lock.json', () => {
  test('has an entry for every optional package, so that `npm ci` works on every platform', () => {
    const locked = new Set(installed.map(([path]) => nameOf(path)))
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {})
        .filter((name) => !locked.has(name))
        .map((name) => `${path || 'package.json'} needs ${name}`),
    )
    expect(missing).toEqual([])
  })

  test('names no host and has a checksum for every package', () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
    expect(installed.filter(([, { integrity }]) => integrity === undefined)).toEqual([])
  })

  test('needs no install script, so that `npm install --ignore-scripts` is enough', () => {
    const withScript = installed.filter(([, { hasInstallScript }]) => hasInstallScript)
    expect(Object.fromEntries(withScript.map(([path]) => [nameOf(path), false]))).toEqual(
      allowScripts,
    )
  })

  test.each([
    ['linux', 'x64'],
    ['linux', 'arm64'],
    ['darwin', 'x64'],
    ['darwin', 'arm64'],
  ])('brings a Node 24 or newer for %s on %s', (os, cpu) => {
    const found = installed.find(
      ([path, entry]) =>
        /^node-(bin-)?/.test(nameOf(path)) && entry.os?.includes(os) && entry.cpu?.includes(cpu),
    )
    expect(Number.parseInt(found?.[1].version ?? '', 10)).toBeGreaterThanOrEqual(24)
  })
})
