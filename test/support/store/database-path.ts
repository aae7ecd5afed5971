import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'

/** Gives each test of a file its own directory, and a path for its database. */
export function freshDirectory(): { dir: string; path: string } {
  const fresh = { dir: '', path: '' }
  beforeEach(() => {
    fresh.dir = mkdtempSync(join(tmpdir(), 'tb-store-'))
    fresh.path = join(fresh.dir, 'trailboss.db')
  })
  afterEach(() => rmSync(fresh.dir, { recursive: true, force: true }))
  return fresh
}
