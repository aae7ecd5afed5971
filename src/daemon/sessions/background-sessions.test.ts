import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createStatusScene, type StatusScene } from '../../../test/support/daemon/status-scene.ts'
import type { PaneRef } from '../../core/pane.ts'
import { sessionKey } from '../../core/session/event.ts'
import { isQueued } from '../../core/session/queue.ts'
import { claudeCode } from '../../harness/claude-code/adapter.ts'
import type { FoundProgram } from '../programs/found-program.ts'
import { BackgroundSessions } from './background-sessions.ts'

const JOB = 'd3553383'
const ID = `${JOB}-0622-4349-acbd-8eda8845adda`
const PANE: PaneRef = { socket: '/tmp/tb-nowhere/one', id: '%4' }

let it: StatusScene
let found: FoundProgram[]
let background: BackgroundSessions
beforeEach(() => {
  it = createStatusScene()
  found = []
  background = new BackgroundSessions({
    herd: it.world.herd,
    ingest: it.world.ingest,
    programs: { found: () => found },
    statuses: it.follower,
  })
})
afterEach(() => it[Symbol.dispose]())

const session = () => it.world.herd.session(sessionKey('claude-code', ID))
const isListed = () => [...it.world.herd.sessions()].filter(isQueued).map(({ id }) => id)

/** As its status file would. */
function report(more: Parameters<StatusScene['tell']>[0]): void {
  it.tell({ session: ID, source: 'status', job: JOB, pid: process.pid, headless: false, ...more })
}

function viewer(job: string | undefined, pane = PANE): FoundProgram {
  const view = job === undefined ? {} : { job }
  const nothing = { pidStart: undefined, statusFile: undefined, innerPid: undefined }
  return { ...nothing, pane, pid: 1, adapter: claudeCode, name: 'claude', view, foundAt: 0 }
}

/** Two looks are never in one millisecond: sweeps are seconds apart. */
function look(): void {
  background.look()
  const at = Date.now()
  while (Date.now() === at);
}

describe('a session in the background', () => {
  test('is listed without a pane', () => {
    report({ kind: 'stuck', reason: 'permission', at: Date.now() })
    look()
    expect(isListed()).toEqual([ID])
    expect(session()?.pane).toBeUndefined()
  })

  test('is in the pane that shows it, for as long as it is shown there', () => {
    report({ kind: 'stuck', reason: 'permission', at: Date.now() })
    found = [viewer(undefined), viewer('ffffffff'), viewer(JOB)]
    look()
    expect(session()).toMatchObject({ pane: PANE, isGuest: true })
    found = []
    look()
    expect(session()?.pane).toBeUndefined()
    expect(isListed()).toEqual([ID])
  })

  test('stays in the first of two panes that show it', () => {
    const second = { ...PANE, id: '%5' }
    report({ kind: 'stuck', reason: 'permission', at: Date.now() })
    found = [viewer(JOB)]
    look()
    found = [viewer(JOB, second), viewer(JOB)]
    look()
    expect(session()?.pane).toEqual(PANE)
    found = [viewer(JOB, second)]
    look()
    expect(session()?.pane).toEqual(second)
  })

  test('leaves the session alone whose pane shows it', () => {
    it.tell({ kind: 'stuck', reason: 'stopped', at: Date.now(), session: 'host', pane: PANE })
    report({ kind: 'stuck', reason: 'permission', at: Date.now() })
    found = [viewer(JOB)]
    look()
    expect(isListed()).toEqual(['host', ID])
  })

  test('is none any more when another process continues it in a pane', () => {
    report({ kind: 'unstuck', at: Date.now() - 10 })
    it.tell({ kind: 'started', at: Date.now(), session: ID, source: 'status', pid: 1, pane: PANE })
    expect(session()).toMatchObject({ pane: PANE, isGuest: false })
    expect(session()).not.toHaveProperty('job')
    look()
    expect(session()?.pane).toEqual(PANE)
  })
})

describe('a session that the operator moved to the background', () => {
  const park = () => {
    it.publish('idle', { at: Date.now() - 300, more: { parkedJobId: JOB } })
    it.follower.sweep()
  }

  test('waits there as it waited before, and at every moment', () => {
    const startedAt = Date.now() - 2_000
    it.publish('busy', { startedAt, at: Date.now() - 1_000 })
    it.follower.sweep()
    it.tell({ kind: 'stuck', reason: 'stopped', at: Date.now() - 500, ask: { text: 'Said 7.' } })
    park()
    look()
    expect(isListed()).toEqual(['s'])
    report({ kind: 'started', at: Date.now() })
    report({ kind: 'stuck', reason: 'stopped', at: Date.now() })
    expect(isListed()).toEqual(['s'])
    look()
    expect(session()?.verdict).toMatchObject({ state: 'stuck', ask: { text: 'Said 7.' } })
    expect(isListed()).toEqual([ID])
    expect(it.verdict()).toMatchObject({ state: 'ended', why: expect.stringContaining(JOB) })
  })

  test('that was never asked anything waits for nothing', () => {
    it.publish('idle', { at: Date.now() - 500 })
    it.follower.sweep()
    park()
    report({ kind: 'started', at: Date.now() })
    report({ kind: 'stuck', reason: 'stopped', at: Date.now() })
    look()
    expect(session()?.verdict.state).toBe('unknown')
    expect(it.verdict()?.state).toBe('ended')
    expect(isListed()).toEqual([])
  })
})
