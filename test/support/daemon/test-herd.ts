import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Herd } from '../../../src/daemon/herd/herd.ts'
import { createIngest, type Ingest } from '../../../src/daemon/ingest/ingest.ts'
import { PaneInventory } from '../../../src/daemon/panes/pane-inventory.ts'
import { AdmissionClock } from '../../../src/service/clock.ts'
import type { Log } from '../../../src/service/log.ts'
import { Store } from '../../../src/store/store.ts'

/** A herd on a real store in a temporary directory, with its sources. */
export type TestHerd = Disposable & {
  dir: string
  store: Store
  herd: Herd
  inventory: PaneInventory
  ingest: Ingest
  log: Log
  queue(): string[]
}

export function createTestHerd(): TestHerd {
  const dir = mkdtempSync(join(tmpdir(), 'tb-herd-'))
  const store = new Store(join(dir, 'trailboss.db'))
  const herd = new Herd(store, new AdmissionClock(store.lastAdmittedAt), (error) => {
    throw error
  })
  const inventory = new PaneInventory()
  const ignore = (harness: string, name: string) => store.ignore(harness, name, 1)
  return {
    dir,
    store,
    herd,
    inventory,
    ingest: createIngest({ herd, inventory, ignore }),
    log: pino({ level: 'silent' }),
    queue: () => herd.queue().map((session) => session.id),
    [Symbol.dispose]: () => {
      herd[Symbol.dispose]()
      store[Symbol.dispose]()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
