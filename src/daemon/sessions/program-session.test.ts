import { spawnSync } from 'node:child_process'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import type { PaneRef } from '../../core/pane.ts'
import { sessionKey } from '../../core/session/event.ts'
import { codex } from '../../harness/codex/adapter.ts'
import type { FoundProgram } from '../programs/found-program.ts'
import { createProgramSessions } from './program-session.ts'

const PANE: PaneRef = { socket: '/tmp/tb-nowhere/one', id: '%4' }
const GONE = { kind: 'ended', source: 'process', detail: 'its process is gone' } as const

let world: TestHerd
beforeEach(() => {
  world = createTestHerd()
})
afterEach(() => world[Symbol.dispose]())

/** What became of the session in the pane when the program that was there before is seen to be gone. */
function stateAfter(pid: number | undefined): string | undefined {
  const about = { v: 1, harness: 'codex', session: 's', source: 'hook', pane: PANE } as const
  const stop = { kind: 'stuck', reason: 'stopped', at: Date.now() - 1 } as const
  world.ingest.own({ ...about, ...stop, ...(pid !== undefined && { pid }) }, 'tailed')
  const nothing = { pidStart: undefined, statusFile: undefined, innerPid: undefined }
  const known = { adapter: codex, name: 'codex', view: undefined, foundAt: 0 }
  const program: FoundProgram = { ...nothing, ...known, pane: PANE, pid: deadPid() }
  createProgramSessions(world.herd, world.ingest, world.inventory).tell(program, GONE, Date.now())
  return world.herd.session(sessionKey('codex', 's'))?.verdict.state
}

function deadPid(): number {
  return spawnSync('true').pid
}

test('a program that is gone ends the session in its pane', () => {
  expect(stateAfter(undefined)).toBe('ended')
})

test('but not one that another program has begun there since', () => {
  expect(stateAfter(process.pid)).toBe('stuck')
})
